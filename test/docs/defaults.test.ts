import { describe, expect, it } from 'vitest';
import { FliptClient } from '../../src/client/index.js';
import * as v from 'valibot';
import { documentSchema } from '../../src/features/document-schema.js';
import { paginated } from '../../src/local/requests/pagination.js';
import { Query } from '../../src/local/requests/query.js';
import { clientSettings, providerSettings } from '../../src/options/settings.js';
import {
  membersOf,
  readmeMember,
  readmeOptions,
  stated,
  statedDefault,
  type Member,
} from './stated.fixture.js';

const FILES: Readonly<Record<string, string>> = {
  WatchOptions: 'snapshot',
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
    const [members] = /\b(?:Http|Tls|Cache|Batch|Breaker|Watch)Options\b/.exec(member.type) ?? [];
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
  ['what its members say', 'on'],
  // Filled in when the document is loaded.
  ['the key', ''],
  ['warnings and errors on console', 'warnings and errors to the console'],
]);
const same = (words: string) => SYNONYMS.get(words) ?? words;

/** The values of variables that do not accept every text. */
const ALLOWED_VALUES = new Map([
  ['FLIPT_EVALUATION', 'in-process'],
  ['FLIPT_AUTH', 'kubernetes'],
]);

const rowOf = (path: string) => {
  const [name = ''] = path.split('.');
  const row = readmeOptions().find(({ option }) => option === name);
  if (row === undefined) throw new Error(`README.md: no row for ${name}`);
  return row;
};
function readmeDefault(path: string): string {
  const row = rowOf(path);
  const name = path.split('.').at(-1) ?? '';
  if (path.includes('.')) return readmeMember(row, name);
  return row.value === '' ? 'on' : same(row.value);
}

describe.each(options)('$path', ({ path, member }) => {
  it('has the default that its doc comment and the README state', () => {
    const setting = shown(settingAt(providerSettings({}, {}), path));
    expect({ comment: same(stated(member).value), readme: readmeDefault(path) }).toEqual({
      comment: setting,
      readme: setting,
    });
  });

  it('is set by the environment variables that both name, and by no others', () => {
    const { variables } = stated(member);
    expect(path.includes('.') ? [] : rowOf(path).variables).toEqual(variables);
    for (const variable of variables) {
      const value = ALLOWED_VALUES.get(variable) ?? 'http://set.test';
      const settings = providerSettings({}, { [variable]: value });
      expect(JSON.stringify(settingAt(settings, path)), variable).toContain(value);
    }
  });
});

describe('the options', () => {
  it('of the README are all options, and no others', () => {
    const names = options.map(({ path }) => path).filter((path) => !path.includes('.'));
    expect(
      readmeOptions()
        .map(({ option }) => option)
        .sort(),
    ).toEqual(names.sort());
  });

  it('are set only by environment variables that the README names', () => {
    const asked = new Set<string>();
    providerSettings(
      {},
      new Proxy<Record<string, string>>({}, { get: (_, name) => void asked.add(String(name)) }),
    );
    expect([...asked].sort()).toEqual(
      readmeOptions()
        .flatMap(({ variables }) => variables)
        .sort(),
    );
  });

  it.each(connection)('$path has the same default in the typed client', ({ path }) => {
    const [client, provider] = [clientSettings({}, {}), providerSettings({}, {})];
    expect(shown(settingAt(client, path))).toBe(shown(settingAt(provider, path)));
  });
});

describe('a list', () => {
  it('is read and iterated over in pages of the sizes that its options state', async () => {
    const paths: string[] = [];
    const request = ({ path }: { readonly path: string }) => {
      paths.push(path);
      return Promise.reject(new Error('not sent'));
    };
    const client = new FliptClient({ http: { dispatcher: { request } } });
    await expect(client.segments.iterate('default').next()).rejects.toThrow();
    const most = statedDefault('src/client/list-pages.ts', 'IterateOptions', 'limit');
    expect(paths[0]).toMatch(new RegExp(`limit=${most}$`));
    const read = statedDefault('src/client/list-pages.ts', 'PageOptions', 'limit');
    expect(read).toMatch(/^all of them/);
    expect(paginated(Array(200).fill(0), new Query('')).items).toHaveLength(200);
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
