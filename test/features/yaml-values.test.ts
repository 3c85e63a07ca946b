import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Semantics } from '../../src/engine/features.js';
import { useFolder } from '../local/folder.fixture.js';
import { checkText } from '../../src/features/read-features.js';
import { complaintAbout, load } from './loading.fixture.js';

/** The text of the attachment that a flag's only variant has, in a file with this YAML as attachment. */
async function attachmentOf(yaml: string, semantics: Semantics = 'v1'): Promise<string> {
  const namespaces = await load(fileWith(yaml), semantics);
  return Array.from(namespaces.get('default')!.flags.get('f')!.variants.values())[0]!.attachment;
}

function fileWith(attachment: string): string {
  return `flags:\n  - key: f\n    variants:\n      - key: a\n        attachment: ${attachment}\n`;
}

const fileInJson = (attachment: string): string =>
  `{"flags": [{"key": "f", "variants": [{"key": "a", "attachment": ${attachment}}]}]}`;

const at = useFolder();

describe('a scalar of an attachment', () => {
  // Each was compared with gopkg.in/yaml.v3 and encoding/json of Go.
  it.each([
    ['yes', '"yes"'],
    ['TRUE', 'true'],
    ['~', 'null'],
    ['010', '8'],
    ['-010', '-8'],
    ['08', '8'],
    ['0o17', '15'],
    ['0b11', '3'],
    ['0x1F', '31'],
    ['0b2', '"0b2"'],
    ['1_000', '1000'],
    ['_1', '"_1"'],
    ['e5', '"e5"'],
    ['.', '"."'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['.e1', '".e1"'],
    ['1e400', '"1e400"'],
    ['-0', '0'],
    ['-0.0', '-0'],
    ['1e21', '1e+21'],
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775809', '-9223372036854776000'],
    ['18446744073709551615', '18446744073709551615'],
    ['18446744073709551616', '18446744073709552000'],
    ['12:30:45', '"12:30:45"'],
    ['2024-01-01', '"2024-01-01T00:00:00Z"'],
    ['2024-1-1 1:2:3.50', '"2024-01-01T01:02:03.5Z"'],
    ['2024-01-01T10:00:00+02:00', '"2024-01-01T10:00:00+02:00"'],
    ['2024-01-01t10:00:00.123456789123-00:00', '"2024-01-01T10:00:00.123456789Z"'],
    ['2023-02-29', '"2023-02-29"'],
    ['2024-01-01T24:00:00Z', '"2024-01-01T24:00:00Z"'],
    ['"2024-01-01"', '"2024-01-01"'],
    ['!!str 010', '"010"'],
    ['!!int "010"', '8'],
    ['!!float 1.5', '1.5'],
    ['2024-01-01T10:00:00', '"2024-01-01T10:00:00"'],
    ['2024-1-1 1:2', '"2024-1-1 1:2"'],
    ['!!timestamp "2024-01-01"', '"2024-01-01T00:00:00Z"'],
    ['!!binary aGk=', '"hi"'],
    ['!mine 010', '"010"'],
    ['"a\u0085  b"', '"a b"'],
    ['"<b>&\u2028"', '"\\u003cb\\u003e\\u0026\\u2028"'],
  ])('%j is %s in v1', async (yaml, text) => {
    expect(await attachmentOf(`[${yaml}]`)).toBe(`[${text}]`);
  });

  it('is a double in v2, and not escaped', async () => {
    expect(await attachmentOf('[9007199254740993, "<b>"]', 'v2')).toBe('[9007199254740992,"<b>"]');
  });

  it.each([
    ['[.nan]', 'v1', 'expected a value that JSON can hold'],
    ['{1: a}', 'v1', 'expected text as the name of a member, got 1 without quotes'],
    ['!!int x', 'v1', ':5:21: Unresolved tag'],
    ['!!float 5', 'v1', 'Unresolved tag'],
    ['!!binary "?"', 'v1', 'expected base64 for !!binary'],
    ['[2024-01-01]', 'v2', 'expected no date without quotes'],
    ['{<<: 5}', 'v1', 'expected a mapping, or a list of mappings'],
  ] as const)('is refused as Flipt does: %s in %s', async (yaml, semantics, complaint) => {
    expect(await complaintAbout(fileWith(yaml), semantics)).toContain(complaint);
  });
});

describe('a date without quotes as the value of a constraint', () => {
  const file =
    'segments:\n  - key: s\n    constraints:\n      - { type: DATETIME_COMPARISON_TYPE, property: p, operator: lte, value: 2024-01-01 }\n';

  it.each(['v1', 'v2.8'] as const)('is its text in %s', async (semantics) => {
    const segment = (await load(file, semantics)).get('default')?.segments.get('s');
    expect(segment?.constraints).toMatchObject([{ value: '2024-01-01' }]);
  });

  it('is refused in v2, because 2.11 makes a text of it with which nothing compares', async () => {
    expect(await complaintAbout(file, 'v2')).toContain('expected no date without quotes');
  });
});

describe('a mapping', () => {
  it('has its members sorted as bytes, and its own win over merged ones', async () => {
    const yaml = '{"\u{1F600}": 1, "\uE000": 2, b: 3, B: 4, <<: [{b: 5, c: 6}, {c: 7, d: 8}]}';
    expect(await attachmentOf(yaml)).toBe('{"B":4,"b":3,"c":6,"d":8,"\uE000":2,"\u{1F600}":1}');
  });

  it('may merge parts of a file, such as rules', async () => {
    const namespaces = await load(
      [
        'flags:',
        '  - &first { key: f, enabled: yes, rules: [&rule { segment: s }] }',
        '  - { <<: *first, key: g, rules: [*rule, { <<: *rule, rank: 1 }] }',
        'segments: [{ key: s }]',
      ].join('\n'),
    );
    expect(namespaces.get('default')?.flags.get('g')).toMatchObject({
      enabled: true,
      rules: [{ rank: 1 }, { rank: 1 }],
    });
  });

  it('may not merge quoted text', async () => {
    expect(await attachmentOf('{"<<": {a: 1}}')).toBe('{"\\u003c\\u003c":{"a":1}}');
  });
});

describe('what Flipt reads otherwise, as docs/local.md lists', () => {
  it.each([
    ['1_000.5', '"1_000.5"'],
    ['+_1', '"+_1"'],
    ["'a\u0085\u0085b'", '"a  b"'],
    ['2024-01-01T00:00:00+24:00', '"2024-01-01T00:00:00+24:00"'],
  ])('%j is %s in v1', async (yaml, text) => {
    expect(await attachmentOf(`[${yaml}]`)).toBe(`[${text}]`);
  });
});

describe('an alias', () => {
  it('may occur as often as it likes', async () => {
    const aliases = Array.from({ length: 1000 }, () => '*x').join(', ');
    expect(await attachmentOf(`[&x 010, ${aliases}]`)).toBe(`[8${',8'.repeat(1000)}]`);
  });

  it('means the last anchor before it', async () => {
    expect(await attachmentOf('[&x [&y 1], &y 2, *x, *y, &x 3, *x]')).toBe('[[1],2,[1],2,3,3]');
  });

  it('means that also where it is repeated itself', async () => {
    expect(await attachmentOf('[&x 1, &y [*x], &x 2, *y]')).toBe('[1,[1],2,[1]]');
  });

  it('may not be part of what it repeats', async () => {
    expect(await complaintAbout(fileWith('&x [*x]'))).toMatch(/an anchor contains itself$/);
  });
});

describe('a file that merges too much is refused, as one that repeats too much', () => {
  const lines = (count: number, line: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => line(at)).join('\n');

  it.each([
    ['a mapping that merges a list of the one before', (at: number) => `{<<: [*m${at}, *m${at}, *m${at}]}`],
    ['a list of the one before', (at: number) => `[*m${at}, *m${at}, *m${at}]`],
  ])('%s, 20 times', async (_name, link) => {
    const file = `flags:\n- &m0 {key: a}\n${lines(20, (at) => `- &m${at + 1} ${link(at)}`)}\n- {<<: *m20}`;
    expect(await complaintAbout(file)).toMatch(/^features:1:1: too much is repeated by aliases$/);
  });

  it('a chain of mappings that merge the one before', async () => {
    const file = `flags:\n- &m0 {k: a}\n${lines(700, (at) => `- &m${at + 1} {<<: *m${at}, k${at}: 1}`)}`;
    expect(await complaintAbout(file)).toMatch(/^features:1:1: too much is repeated by aliases$/);
  });

  it('a large mapping that is merged many times', async () => {
    const file = `flags:\n- &m0 {k: 1,${lines(1000, (at) => ` k${at}: 1,`)}}\n${lines(1000, () => '- {<<: *m0}')}`;
    expect(await complaintAbout(file)).toMatch(/^features:1:1: too much is repeated by aliases$/);
  });
});

describe('members with a type', () => {
  const file = [
    'version: 1.4',
    'flags:',
    '  - key: 010',
    '    name: 2024-01-01',
    '    enabled: on',
    '    variants: [{ key: yes, default: y }]',
    '    rules: [{ segment: 7, distributions: [{ variant: yes, rollout: 0x20 }] }]',
    'segments:',
    '  - key: 7',
    '    constraints: [{ type: NUMBER_COMPARISON_TYPE, property: 5, operator: gt, value: 1_0 }]',
  ].join('\n');

  it('are converted in v1, text as it was written', async () => {
    const { flags, segments } = (await load(file)).get('default')!;
    expect(flags.get('010')).toMatchObject({
      name: '2024-01-01',
      enabled: true,
      rules: [{ segmentKeys: ['7'], distributions: [{ rollout: 32 }] }],
    });
    expect(segments.get('7')?.constraints).toMatchObject([{ property: '5', value: '1_0' }]);
  });

  it('are not converted in a JSON file, whose numbers are doubles', async () => {
    const file = at('features.json');
    await writeFile(file, '{"flags": [{"key": "f", "enabled": "yes", "name": 5}]}');
    expect((await complaintAbout(file)).split('\n').sort()).toEqual([
      expect.stringContaining('flags[0].enabled: expected true or false, got "yes"'),
      expect.stringContaining('flags[0].name: expected a string, got 5'),
    ]);
    await writeFile(file, fileInJson('[9007199254740993, -0]'));
    const [variant] = (await load(file)).get('default')!.flags.get('f')!.variants.values();
    expect(variant!.attachment).toBe('[9007199254740992,-0]');
  });

  it('are not converted in v2', async () => {
    const complaints = (await complaintAbout(file, 'v2')).split('\n');
    expect(complaints.map((line) => line.replace('features:', ''))).toEqual([
      '3:5: flags[0].key: expected a string, got 8 (put it in quotes)',
      '5:5: flags[0].enabled: expected true or false, got "on"',
      '6:28: flags[0].variants[0].default: expected true or false, got "y"',
      expect.stringContaining(
        'flags[0].rules[0].segment: expected the key of a segment, or keys and an operator',
      ),
      '9:5: segments[0].key: expected a string, got 7 (put it in quotes)',
      expect.stringContaining('segments[0].constraints[0].property: expected a string, got 5'),
      expect.stringContaining(
        'segments[0].constraints[0].value: expected a string, got 10 (put it in quotes)',
      ),
    ]);
  });
});

describe('JSON documents one after another', () => {
  it('are read with comment lines before them, and mistakes are found by line and column', async () => {
    const text =
      '# exported by Flipt\n\n{"flags": [{"key": "a}\\"{"}]}\n{"namespace": "team",\n "flagz": []}\n';
    expect((await complaintAbout(text, 'v2')).split('\n')).toEqual([
      expect.stringContaining('features:3:13: flags[0].key: expected letters, digits'),
    ]);
    const { findings } = checkText({ file: 'features', text }, 'v1');
    expect(findings).toMatchObject([
      { line: 3, column: 13, document: 1, path: 'flags[0].key' },
      { line: 5, column: 2, document: 2, path: 'flagz' },
    ]);
  });

  it('may be cut short', async () => {
    expect(await complaintAbout('{"flags": []}\n{"flags": [')).toMatch(/^features:2:12: /);
  });
});
