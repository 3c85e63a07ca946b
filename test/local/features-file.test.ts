import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Semantics } from '../../src/engine/features.js';
import { FeaturesError, type FeaturesSource, readFeatures } from '../../src/local/features-file.js';
import { importFeatures } from '../../src/local/import-features.js';
import type { NamespaceRecord } from '../../src/local/records.js';
import { useFolder } from './folder.js';
import { fixedStamp } from './requests.js';

const at = useFolder();

async function load(
  source: FeaturesSource,
  semantics: Semantics = 'v1',
): Promise<ReadonlyMap<string, NamespaceRecord>> {
  return importFeatures(await readFeatures(source), semantics, fixedStamp());
}

async function complaintAbout(source: unknown, semantics: Semantics = 'v1'): Promise<string> {
  const error: unknown = await load(source as FeaturesSource, semantics).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(FeaturesError);
  expect(error).toMatchObject({ code: 'ERR_FEATURES', name: 'FeaturesError' });
  return (error as Error).message;
}

const BOOLEAN = 'flags:\n  - key: new\n    type: BOOLEAN_FLAG_TYPE\n    enabled: true\n';

describe('features', () => {
  it('are read from a path, a file URL, YAML, JSON and objects', async () => {
    const path = at('features.yml');
    await writeFile(path, BOOLEAN);
    const document = { flags: [{ key: 'new', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] } as const;
    const sources = [path, pathToFileURL(path), BOOLEAN, JSON.stringify(document), document, [document]];
    const all = await Promise.all(sources.map((source) => load(source)));
    for (const namespaces of all) {
      expect(namespaces.get('default')?.flags.get('new')).toMatchObject({
        name: 'new',
        enabled: true,
        rollouts: [],
      });
    }
  });

  it('are of the namespace that their document names, by key or described; default is always there', async () => {
    const namespaces = await load(
      'version: 1.4\nnamespace: one\n---\nnamespace: {key: two, name: Two, description: d}\n---\n',
    );
    expect(Array.from(namespaces.values(), ({ key, name, description }) => [key, name, description])).toEqual(
      [
        ['default', 'Default', ''],
        ['one', 'one', ''],
        ['two', 'Two', 'd'],
      ],
    );
  });

  it('have every default filled in', async () => {
    const namespaces = await load({
      flags: [{ key: 'f', variants: [{ key: 'a' }], rules: [{ segment: 's' }], metadata: { team: 'web' } }],
      segments: [{ key: 's', constraints: null }],
    });
    const { flags, segments } = namespaces.get('default')!;
    expect(segments.get('s')).toMatchObject({
      name: 's',
      description: '',
      matchType: 'ALL_MATCH_TYPE',
      constraints: [],
    });
    expect(flags.get('f')).toMatchObject({
      type: 'VARIANT_FLAG_TYPE',
      enabled: false,
      rules: [{ rank: 1, segmentKeys: ['s'], segmentOperator: 'OR_SEGMENT_OPERATOR', distributions: [] }],
    });
  });

  it('choose segments as the service stores it: no key twice, several sorted, one alone with OR', async () => {
    const operator = 'AND_SEGMENT_OPERATOR';
    const namespaces = await load({
      flags: [
        {
          key: 'f',
          type: 'BOOLEAN_FLAG_TYPE',
          rollouts: [
            { segment: { keys: ['b', 'a', 'b'], operator, value: true } },
            { segment: { key: 'a', keys: null, operator } },
            { threshold: { percentage: 12.5 } },
          ],
          rules: [{ segment: { keys: ['a', 'a'], operator } }],
        },
      ],
      segments: [{ key: 'a' }, { key: 'b' }],
    });
    expect(namespaces.get('default')?.flags.get('f')).toMatchObject({
      rollouts: [
        { kind: 'segment', segmentKeys: ['a', 'b'], segmentOperator: operator, value: true },
        { kind: 'segment', segmentKeys: ['a'], segmentOperator: 'OR_SEGMENT_OPERATOR', value: false },
        { kind: 'threshold', percentage: 12.5, value: false },
      ],
      rules: [{ segmentKeys: ['a'], segmentOperator: 'OR_SEGMENT_OPERATOR' }],
    });
  });

  it('keep attachments as JSON text', async () => {
    const variants = [
      { key: 'a', attachment: { a: [1, 'é'] } },
      { key: 'b', attachment: null },
      { key: 'c', attachment: 0 },
    ];
    const namespaces = await load({ flags: [{ key: 'f', variants }] });
    const stored = Array.from(namespaces.get('default')!.flags.get('f')!.variants.values());
    expect(stored.map(({ attachment }) => attachment)).toEqual(['{"a":[1,"é"]}', '', '0']);
  });

  it('write operators in lower case, and no value for those that need none', async () => {
    const constraints = [
      { type: 'STRING_COMPARISON_TYPE', property: 'p', operator: 'EQ', value: 'A' },
      { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'True', value: 'ignored' },
    ] as const;
    const namespaces = await load({ segments: [{ key: 's', constraints }] });
    expect(namespaces.get('default')?.segments.get('s')?.constraints).toMatchObject([
      { operator: 'eq', value: 'A' },
      { operator: 'true', value: '' },
    ]);
  });
});

describe('a file that cannot be read', () => {
  it('is named', async () => {
    expect(await complaintAbout(at('nowhere.yml'))).toMatch(/nowhere\.yml: cannot be read: ENOENT/);
    await mkdir(at('folder.yml'));
    expect(await complaintAbout(at('folder.yml'))).toMatch(/folder\.yml: cannot be read: EISDIR/);
  });

  it('may be readable to others only', async () => {
    const path = at('secret.yml');
    await writeFile(path, BOOLEAN);
    await chmod(path, 0o000);
    // The superuser reads everything.
    const expected = process.getuid?.() === 0 ? /^read$/ : /cannot be read: EACCES/;
    expect(await load(path).then(() => 'read', String)).toMatch(expected);
  });

  it.each([
    ['flags: [\n', /^features: document 1: Flow sequence .* at line \d+, column \d+$/],
    ['flags:\n  - key: a\n   b: c\n', /^features: document 1: .* at line 3, column 1$/],
    ['a: 1\n---\nflags: {\n', /^features: document 2: /],
    ['a: &a [x]\nb: [*a,*a]\nc: *nope\n', /^features: (document 1|cannot be read as YAML): .*nope/],
    ['\n', /^features: expected at least one document, found none$/],
    ['# nothing\n---\n', /^features: expected at least one document, found none$/],
  ])('is said to be so: %j', async (text, message) => {
    expect(await complaintAbout(text)).toMatch(message);
  });

  it('may try to blow up', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `a${level + 1}: &a${level + 1} [*a${level},*a${level}]`,
    );
    expect(await complaintAbout(`a0: &a0 [x]\n${levels.join('\n')}\n`)).toMatch(
      /^features: cannot be read as YAML: /,
    );
    expect(await complaintAbout(`flags: ${'['.repeat(20_000)}\n`)).toMatch(/^features: /);
  });

  it('may hold anything but features', async () => {
    expect(await complaintAbout('- 1\n')).toBe('features: document 1: expected a mapping, got a list');
    expect(await complaintAbout('just text\n')).toBe(
      'features: document 1: expected a mapping, got "just text"',
    );
    expect(await complaintAbout([{}, 5])).toBe('features: document 2: expected a mapping, got 5');
    expect(await complaintAbout('{"__proto__": {"flags": []}}')).toBe(
      'features: document 1: __proto__: unknown member',
    );
  });
});

const segment = (constraint: object): object => ({ segments: [{ key: 's', constraints: [constraint] }] });
const number = { type: 'NUMBER_COMPARISON_TYPE', property: 'age', operator: 'eq', value: '18' };
const variants = [{ key: 'a' }, { key: 'b' }];

describe('a complaint says where it is and what was expected', () => {
  it.each<[object, string]>([
    [{ flagz: [] }, 'flagz: unknown member'],
    [{ flags: {} }, 'flags: expected a list, got Object'],
    [{ flags: [{}] }, 'flags[0].key: missing; expected "key"'],
    [{ flags: [{ key: 5 }] }, 'flags[0].key: expected a string, got 5 (put it in quotes)'],
    [
      { flags: [{ key: 'é' }] },
      'flags[0].key: expected letters, digits, "-", "_" and "," only, and at least one of them, got "é"',
    ],
    [{ flags: [{ key: 'f', enabled: 'yes' }] }, 'flags[0].enabled: expected true or false, got "yes"'],
    [
      { flags: [{ key: 'f', type: 'NOPE' }] },
      'flags[0].type: expected ("VARIANT_FLAG_TYPE" | "BOOLEAN_FLAG_TYPE"), got "NOPE"',
    ],
    [{ flags: [{ key: 'f' }, { key: 'f' }] }, 'flags[1].key: "f" occurs twice'],
    [
      { flags: [{ key: 'f', variants: [{ key: 'a' }, { key: 'a' }] }] },
      'flags[0].variants[1].key: "a" occurs twice',
    ],
    [
      { flags: [{ key: 'f', variants: variants.map((variant) => ({ ...variant, default: true })) }] },
      'flags[0].variants: expected at most one default variant',
    ],
    [
      { flags: [{ key: 'f', rules: [{ segment: 'gone' }] }] },
      'flags[0].rules[0].segment: expected the key of a segment of this document, got "gone"',
    ],
    [
      { flags: [{ key: 'f', rules: [{ segment: 5 }] }] },
      'flags[0].rules[0].segment: expected the key of a segment, or keys and an operator, got 5',
    ],
    [
      {
        flags: [{ key: 'f', rules: [{ segment: 's', distributions: [{ variant: 'x', rollout: 1 }] }] }],
        segments: [{ key: 's' }],
      },
      'flags[0].rules[0].distributions[0].variant: expected the key of a variant of this flag, got "x"',
    ],
    [
      { flags: [{ key: 'f', rules: [{ segment: 's', distributions: [{ variant: 'x', rollout: 101 }] }] }] },
      'flags[0].rules[0].distributions[0].rollout: expected a percentage from 0 to 100, got 101',
    ],
    [
      { flags: [{ key: 'f', rollouts: [{ threshold: { percentage: 1 } }] }] },
      'flags[0].rollouts: only a BOOLEAN_FLAG_TYPE has rollouts',
    ],
    [
      { flags: [{ key: 'f', rollouts: [{}] }] },
      'flags[0].rollouts[0]: expected either segment or threshold, got Object',
    ],
    [
      { flags: [{ key: 'f', rollouts: [{ segment: { value: true } }] }] },
      'flags[0].rollouts[0].segment: expected either key or keys, got Object',
    ],
    [
      { flags: [{ key: 'f', rollouts: [{ segment: { keys: [] } }] }] },
      'flags[0].rollouts[0].segment.keys: expected at least one segment key, got 0',
    ],
    [
      { flags: [{ key: 'f', type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ segment: { key: 'gone' } }] }] },
      'flags[0].rollouts[0].segment: expected the key of a segment of this document, got "gone"',
    ],
    [
      { namespace: 'a b' },
      'namespace: expected letters, digits, "-", "_" and "," only, and at least one of them, got "a b"',
    ],
    [
      { namespace: 5 },
      'namespace: expected a namespace key, or a mapping with key, name and description, got 5',
    ],
    [
      segment({ ...number, value: 18 }),
      'segments[0].constraints[0].value: expected a string, got 18 (put it in quotes)',
    ],
    [
      segment({ ...number, value: '18px' }),
      'segments[0].constraints[0].value: expected a number, got "18px"',
    ],
    [segment({ ...number, value: '' }), 'segments[0].constraints[0].value: missing; expected a value for eq'],
    [
      segment({ ...number, property: '' }),
      'segments[0].constraints[0].property: expected the name of an attribute, got 0',
    ],
    [
      segment({ ...number, operator: 'prefix' }),
      'segments[0].constraints[0].operator: expected one of eq, neq, lt, lte, gt, gte, present, notpresent, isoneof, isnotoneof for NUMBER_COMPARISON_TYPE, got "prefix"',
    ],
    [
      segment({ ...number, operator: 'isoneof', value: '["1"]' }),
      `segments[0].constraints[0].value: expected a JSON array of numbers, got "["1"]"`,
    ],
    [
      segment({
        ...number,
        operator: 'isoneof',
        value: JSON.stringify(Array.from({ length: 101 }, () => 1)),
      }),
      'segments[0].constraints[0].value: expected at most 100 members, got 101',
    ],
    [
      segment({ ...number, type: 'STRING_COMPARISON_TYPE', operator: 'isnotoneof', value: 'a,b' }),
      'segments[0].constraints[0].value: expected a JSON array of strings, got "a,b"',
    ],
    [
      segment({ ...number, type: 'DATETIME_COMPARISON_TYPE', value: '2024-02-30' }),
      'segments[0].constraints[0].value: expected a date-time as RFC 3339 has it, or YYYY-MM-DD, got "2024-02-30"',
    ],
    [
      segment({ ...number, type: 'ENTITY_ID_COMPARISON_TYPE' }),
      'segments[0].constraints[0].property: expected entityId for ENTITY_ID_COMPARISON_TYPE, got "age"',
    ],
    [
      { flags: [{ key: 'f', description: ['x'.repeat(100)] }] },
      'flags[0].description: expected a string, got Array',
    ],
    [
      { flags: [{ key: 'f', enabled: 'x'.repeat(100) }] },
      `flags[0].enabled: expected true or false, got "${'x'.repeat(59)}…`,
    ],
  ])('%j', async (document, complaint) => {
    expect(await complaintAbout(document)).toBe(`features: document 1: ${complaint}`);
  });

  it('of a namespace that has two documents', async () => {
    expect(await complaintAbout([{}, { namespace: 'default' }])).toBe(
      'features: document 2: namespace: "default" has a document already',
    );
  });

  it('of an attachment that v2 refuses, or that JSON cannot hold', async () => {
    const flag = (attachment: unknown): object => ({
      flags: [{ key: 'f', variants: [{ key: 'a', attachment }] }],
    });
    const where = 'features: document 1: flags[0].variants[0].attachment';
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(await complaintAbout(flag('text'), 'v2')).toBe(
      `${where}: expected a mapping or a list, which is all that Flipt v2 takes`,
    );
    expect(await complaintAbout(flag(cycle))).toBe(`${where}: expected what JSON can hold`);
    expect(await complaintAbout(flag(() => 1))).toBe(`${where}: expected what JSON can hold`);
    await expect(load(flag([1]) as FeaturesSource, 'v2')).resolves.toBeDefined();
  });
});
