import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { documentSchema } from '../../src/features/document-schema.js';
import { clientSettings, providerSettings } from '../../src/options/settings.js';
import { textOf } from './pages.fixture.js';
import { membersOf, optionRows, stated, type Member } from './stated.fixture.js';

const FILES: Readonly<Record<string, string>> = {
  WatchOptions: 'watch',
  SnapshotOptions: 'snapshot',
  TrackingOptions: 'tracking',
  ConnectionOptions: 'connection',
  HttpOptions: 'http',
  TlsOptions: 'http',
};
const fileOf = (interfaceName: string) => `src/options/${FILES[interfaceName] ?? 'provider'}-options.ts`;

interface Option {
  /** As `cache.freshForMs`. */
  readonly path: string;
  readonly member: Member;
}

/** All options that a user may set, groups before their members. */
function optionsOf(interfaceName: string, group = ''): readonly Option[] {
  return membersOf(fileOf(interfaceName), interfaceName).flatMap((member) => {
    const path = group + member.name;
    const [members] =
      /\b(?:Http|Tls|Cache|Batch|Breaker|Watch|Snapshot|Tracking)Options\b/.exec(member.type) ?? [];
    return [{ path, member }, ...(members === undefined ? [] : optionsOf(members, `${path}.`))];
  });
}
const connection = optionsOf('ConnectionOptions');
const options = [...connection, ...optionsOf('FliptProviderOptions')];

function settingAt(settings: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (group, name) => (typeof group === 'object' && group !== null ? Reflect.get(group, name) : undefined),
      settings,
    );
}

/** A setting in the words of the pages. */
function shown(setting: unknown): string {
  if (setting === undefined) return 'none';
  if (typeof setting === 'string') return setting;
  if (typeof setting !== 'object' || setting === null) return JSON.stringify(setting);
  if ('warn' in setting) return 'warnings and errors to the console';
  return Object.keys(setting).length === 0 ? 'none' : 'on';
}

/** Other words with the same meaning. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['–', 'none'],
  ['neither', 'none'],
  ['all', 'none'],
  ['those that Node trusts', 'none'],
  ['the host of url', 'none'],
  ['the defaults of its members', 'on'],
  // Filled in when the document is loaded.
  ['the key', ''],
  ['warnings and errors on console', 'warnings and errors to the console'],
  ['as it is', 'none'],
  ['the targetingKey itself', 'none'],
  // Filled in when the snapshot is read.
  ['v1', 'none'],
]);
const same = (words: string) => SYNONYMS.get(words) ?? words;

/** The values of variables of texts that do not accept every text. */
const ALLOWED_VALUES = new Map([
  ['FLIPT_EVALUATION', 'in-process'],
  ['FLIPT_AUTH', 'kubernetes'],
]);

/** A text that sets an option to something else than its default. */
function otherThan(setting: unknown): string {
  if (typeof setting === 'boolean') return String(!setting);
  return typeof setting === 'number' ? String(setting + 1) : 'http://set.test';
}

/** The names of the members of a union of objects. */
const alternativesIn = (type: string) =>
  [...type.matchAll(/^ +readonly (\w+):/gm)].map(([, name = '']) => name);
const [AUTH = ''] =
  /^export type AuthOptions =\n[^]+?\};\n/m.exec(textOf('src/options/auth-options.ts')) ?? [];
/** Options of which one of several members is set: each member has a row. */
const ALTERNATIVES: ReadonlyMap<string, readonly string[]> = new Map(
  options.flatMap(({ path, member }) => {
    const names = alternativesIn(path === 'auth' ? AUTH : member.type);
    return names.length === 0 ? [] : [[path, names]];
  }),
);
const isGroup = (path: string) => options.some((other) => other.path.startsWith(`${path}.`));
/** The options that need rows. A group needs one only if it can be switched on and off. */
const listed = options.flatMap(({ path, member }) => {
  if (isGroup(path)) return /\bboolean\b/.test(member.type) ? [path] : [];
  return ALTERNATIVES.get(path)?.map((name) => `${path}.${name}`) ?? [path];
});
const rows = optionRows('docs/options.md');
const rowsOf = (path: string) =>
  rows.filter(({ option }) => option === path || (ALTERNATIVES.has(path) && option.startsWith(`${path}.`)));

/** With the groups that are off by default. Only what they fill in counts. */
const settings = providerSettings({ tracking: { send: () => undefined } }, {});
const withDefaults = options.filter(({ path, member }) => member.isOptional && path !== 'tracking');

describe.each(withDefaults)('$path', ({ path, member }) => {
  it('has the default that its doc comment and docs/options.md state', () => {
    const setting = shown(settingAt(settings, path));
    expect(same(stated(member).value)).toBe(setting);
    const said = rowsOf(path).map(({ value }) => same(value));
    expect(said).toEqual(said.map(() => setting));
  });

  it('is set by the environment variables that both name, and by no others', () => {
    const { variables } = stated(member);
    expect(rowsOf(path).flatMap((row) => row.variables)).toEqual(variables);
    for (const variable of variables) {
      const value = ALLOWED_VALUES.get(variable) ?? otherThan(settingAt(settings, path));
      const set = providerSettings({}, { [variable]: value });
      expect(JSON.stringify(settingAt(set, path)), variable).toContain(value);
    }
  });
});

describe('the options', () => {
  it('of docs/options.md are all options, and no others', () => {
    expect(rows.map(({ option }) => option).sort()).toEqual(listed.toSorted());
  });

  it('of the README are eight of them, with the same defaults', () => {
    const few = optionRows('README.md');
    expect(few).toHaveLength(8);
    const said = few.map(({ option, ...row }) => ({ option, ...row, found: rowsOf(option).length > 0 }));
    expect(said).toEqual(
      few.map(({ option }) => {
        const found = rowsOf(option);
        const variables = found.flatMap((row) => row.variables);
        return { option, value: found[0]?.value, variables, found: true };
      }),
    );
  });

  it('are set only by environment variables that docs/options.md names', () => {
    const asked = new Set<string>();
    providerSettings(
      {},
      new Proxy<Record<string, string>>({}, { get: (_, name) => void asked.add(String(name)) }),
    );
    // Those of proxies are not the package's own: docs/operating.md has them.
    const ours = [...asked].filter((name) => !/_proxy$/i.test(name));
    expect(ours.sort()).toEqual(rows.flatMap(({ variables }) => variables).sort());
  });

  it.each(connection)('$path has the same default in the typed client', ({ path }) => {
    const [client, provider] = [clientSettings({}, {}), providerSettings({}, {})];
    expect(shown(settingAt(client, path))).toBe(shown(settingAt(provider, path)));
  });
});

describe('what a features file leaves out', () => {
  const constraint = { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'empty' };
  const document = v.parse(documentSchema, {
    flags: [{ key: 'a' }, { key: 'b', variants: [{ key: 'c' }], rules: [{ segment: 'd' }] }],
    segments: [{ key: 'd' }, { key: 'e', constraints: [constraint] }],
  });
  it.each([
    ['FeaturesDocument', v.parse(documentSchema, {})],
    ['FlagDocument', settingAt(document, 'flags.0')],
    ['VariantDocument', settingAt(document, 'flags.1.variants.0')],
    ['RuleDocument', settingAt(document, 'flags.1.rules.0')],
    ['SegmentDocument', settingAt(document, 'segments.0')],
    ['ConstraintDocument', settingAt(document, 'segments.1.constraints.0')],
  ])('has the default that is stated: %s', (interfaceName, checked) => {
    const members = membersOf('src/features/features-document.ts', interfaceName).filter(
      ({ isOptional }) => isOptional,
    );
    const actual = members.map(({ name }) => [name, shown(settingAt(checked as object, name))]);
    expect(actual).toEqual(members.map((member) => [member.name, same(stated(member).value)]));
  });
});
