import { expect, it } from 'vitest';
import * as v from 'valibot';
import { isRecord } from '../../src/base/text/describe.js';
import { DEFAULT_SEMANTICS } from '../../src/engine/version-differences.js';
import { providerShape } from '../../src/options/provider-options.js';
import { textOf } from './pages.fixture.js';

/** Each option with its value, by its name with dots, as on the page. */
function plainValues(options: object, group = ''): readonly (readonly [string, unknown])[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (isRecord(value)) return plainValues(value, `${group}${name}.`);
    return ['string', 'number', 'boolean'].includes(typeof value) ? [[group + name, value] as const] : [];
  });
}

it('the defaults in docs/options.md are those of the code', () => {
  const rows = textOf('docs/options.md').matchAll(/^\| `([\w.]+)` +\| (?:`\w+`, else )?(\d+|`[^`]+`) +\|/gm);
  const stated = Array.from(rows, ([, option, text = '']) => [option, text.replaceAll(/[`']/g, '')] as const);
  const given = v.parse(providerShape, { tracking: { send: () => undefined } });
  // The snapshot's room fills this one in.
  const values = plainValues({ ...given, snapshot: { semantics: DEFAULT_SEMANTICS } }).map(
    ([option, value]) => [option, String(value)] as const,
  );
  // A variable alone is no default.
  const defaults = stated.filter(([, text]) => !text.startsWith('FLIPT_'));
  expect(Object.fromEntries(defaults)).toEqual(Object.fromEntries(values));
});
