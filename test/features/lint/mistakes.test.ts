import { describe, expect, it } from 'vitest';
import type { Version } from '../../../src/features/flipt-refuses.js';
import { findingText } from '../../../src/features/problem.js';
import { lintFile } from './linted.fixture.js';

const V1 = 'Flipt v1 ignores it.';
const V2 = 'Flipt 2.11 serves no flag of this environment.';

async function linted(text: string, version: Version | 'v2' = 'v2'): Promise<readonly string[]> {
  const found = await lintFile(text, version);
  return found.map((finding) => findingText(finding).replace(`${text}:`, ''));
}

/** A document with a flag and a segment, without other mistakes. */
const withFlag = (flag: string) => `version: '1.4'\nflags:\n  - { name: F, ${flag} }\n`;
const withConstraint = (constraint: string) => `version: '1.4'
flags:
  - { key: f, name: F, type: BOOLEAN_FLAG_TYPE, rollouts: [{ segment: { key: s, value: true } }] }
segments:
  - { key: s, name: S, match_type: ALL_MATCH_TYPE, constraints: [{ property: p, ${constraint} }] }
`;
const BOOLEAN = 'type: BOOLEAN_FLAG_TYPE';

describe('a mistake is a finding, which says what Flipt does because of it', () => {
  it.each([
    [withFlag(`key: a b, ${BOOLEAN}`), 'v2', 'invalid: flags[0].key: expected letters, digits'],
    [withFlag(`key: a b, ${BOOLEAN}`), 'v1', 'ignored: flags[0].key: expected letters, digits'],
    [withFlag(BOOLEAN), 'v2', 'invalid: flags[0].key: missing'],
    [
      withFlag(`key: a, descripton: x, ${BOOLEAN}`),
      'v2',
      `refused: flags[0].descripton: unknown member; did you mean "description"? ${V2}`,
    ],
    [withFlag(`key: a, colour: x, ${BOOLEAN}`), 'v1', `ignored: flags[0].colour: unknown member. ${V1}`],
    [
      withFlag(`key: a, ${BOOLEAN}, rollouts: [{ description: x }]`),
      'v2',
      'ignored: flags[0].rollouts[0]: expected either segment or threshold. Flipt ignores the rollout.',
    ],
    [
      withFlag(`key: a, ${BOOLEAN}, rollouts: [{ segment: { key: beta, value: true } }]`),
      'v2',
      'invalid: flags[0].rollouts[0].segment: expected the key of a segment of this document, got "beta"',
    ],
    [
      withFlag(`key: a, variants: [{ key: x, default: true }, { key: x }]`),
      'v1',
      'invalid: flags[0].variants[1].key: "x" occurs twice',
    ],
    [
      withFlag(`key: a, variants: [{ key: x, default: true }, { key: y, default: true }]`),
      'v2',
      'ignored: flags[0].variants: expected at most one default variant. Flipt takes the last one.',
    ],
    [
      withFlag(`key: a, ${BOOLEAN}, enabled: 'x, got "y"'`),
      'v2',
      'invalid: flags[0].enabled: expected true or false, got "x, got "y""',
    ],
    [withFlag('key: a, rules: x'), 'v2', 'invalid: flags[0].rules: expected a list, got "x"'],
    [
      withFlag(`key: a, ${BOOLEAN}, rollouts: `),
      'v2',
      `refused: flags[0].rollouts: null, but it must have a value or be left out. ${V2} Leave the member out.`,
    ],
    [
      withConstraint('type: STRING_COMPARISON_TYPE, operator: isoneof, value: [de, fr]'),
      'v1',
      'invalid: segments[0].constraints[0].value: expected a JSON array in quotes, because Flipt v1 takes no list',
    ],
    [
      withConstraint('type: STRING_COMPARISON_TYPE, operator: isoneof, value: "de, fr"'),
      'v2.10',
      `unreadable-value: segments[0].constraints[0].value: expected a JSON array of strings, such as '["de","fr"]', got "de, fr". The constraint matches nobody.`,
    ],
    [
      withConstraint('type: NUMBER_COMPARISON_TYPE, operator: gte, value: 18px'),
      'v1',
      'unreadable-value: segments[0].constraints[0].value: expected a number, got "18px". The constraint matches nobody.',
    ],
    [
      withConstraint('type: NUMBER_COMPARISON_TYPE, operator: gte, value: 18px'),
      'v2',
      'segment-left-out: segments[0].constraints[0].value: expected a number, got "18px". Flipt 2.11 leaves the segment out',
    ],
    [
      withConstraint('type: STRING_COMPARISON_TYPE, operator: eq, value: 2024-01-01'),
      'v2',
      'invalid: segments[0].constraints[0].value: expected no date without quotes',
    ],
    [
      withConstraint('type: STRING_COMPARISON_TYPE, operator: isoneof'),
      'v2',
      `refused: segments[0].constraints[0].value: expected a JSON array of strings, got "". ${V2}`,
    ],
    ['namespace: a b\n', 'v2', 'invalid: namespace: expected letters'],
    [
      'namespace: a\n---\nnamespace: a\n',
      'v2',
      'ignored: namespace: "a" already has a document. Flipt adds the two.',
    ],
    ['flags: { a: { state: ENABLED } }\n', 'v2', 'invalid: a file of flagd, not of Flipt'],
    ['[]\n\n', 'v2', 'invalid: expected a mapping, got a list'],
    ['flags: [\n', 'v1', 'yaml: Flow sequence in block collection'],
  ] as const)('%j, %s: %s', async (text, version, problem) => {
    expect(await linted(text, version)).toEqual([expect.stringContaining(`: error: ${problem}`)]);
  });

  it('every unknown member of a mapping', async () => {
    const found = await lintFile(withFlag(`key: a, ${BOOLEAN}, foo: 1, bar: 2, constructor: 3`), 'v1');
    expect(found.map(({ path }) => path)).toEqual(['flags[0].foo', 'flags[0].bar', 'flags[0].constructor']);
  });

  it('and more than 20 of them', async () => {
    const flags = Array.from({ length: 100 }, (_, at) => `  - { key: f${at}, ${BOOLEAN} }\n`);
    const found = await lintFile(`version: '1.4'\nflags:\n${flags.join('')}`, 'v2');
    expect(found).toHaveLength(100);
  });
});

describe('what changes a value silently is a finding', () => {
  const withAttachment = (value: string) =>
    withFlag(`key: a, enabled: true, variants: [{ key: x, default: true, attachment: { n: ${value} } }]`);

  it.each(['v1', 'v2'] as const)('an integer beyond 2^53 in an attachment, %s', async (version) => {
    expect(await lintFile(withAttachment('9007199254740993'), version)).toMatchObject([
      {
        rule: 'large-integer',
        level: 'warning',
        path: 'flags[0].variants[0].attachment.n',
        problem: '9007199254740993 is beyond 2^53, so that apps read 9007199254740992.',
      },
    ]);
    for (const value of ['9007199254740992', "'9007199254740993'", '1e300'])
      expect(await lintFile(withAttachment(value), version)).toEqual([]);
  });

  it.each([
    ['18446744073709551615', '18446744073709552000'],
    ['123456789012345678901234', '1.2345678901234569e+23'],
  ])('an integer beyond 64 bits, or almost, in an attachment: %s', async (value, rounded) => {
    const problem = `${value} is beyond 2^53, so that apps read ${rounded}.`;
    expect(await lintFile(withAttachment(value), 'v1')).toMatchObject([{ rule: 'large-integer', problem }]);
  });

  it('an integer beyond 2^53 as the key of a variant', async () => {
    const found = await lintFile(
      withFlag('key: a, enabled: true, variants: [{ key: "9007199254740993", default: true }]'),
      'v2',
    );
    expect(found).toMatchObject([{ rule: 'large-integer', path: 'flags[0].variants[0].key' }]);
  });

  it('a segment that an upgrade to 2.11 leaves out', async () => {
    const text = withConstraint('type: NUMBER_COMPARISON_TYPE, operator: gte, value: 18px');
    for (const from of ['v1', 'v2.8', 'v2.9', 'v2.10'] as const)
      expect(await lintFile(text, 'v2.11', { from })).toMatchObject([
        { rule: 'segment-left-out', level: 'error' },
      ]);
  });
});

describe('an operator that the type does not have', () => {
  const PRESENT = withConstraint('type: STRING_COMPARISON_TYPE, operator: present');

  it.each(['v2.8', 'v2.9', 'v2.10', 'v2'] as const)('is refused by %s', async (version) => {
    expect(await lintFile(PRESENT, version)).toMatchObject([{ line: 5, rule: 'invalid', level: 'error' }]);
  });

  it('is taken by the import of v1, with which it matches nobody', async () => {
    expect(await lintFile(PRESENT, 'v1')).toMatchObject([{ rule: 'operator-type', level: 'error' }]);
  });

  it('is taken by v2 if its schema has the operator by mistake', async () => {
    const le = withConstraint('type: NUMBER_COMPARISON_TYPE, operator: le, value: "1"');
    expect(await lintFile(le, 'v2')).toMatchObject([{ rule: 'operator-type' }]);
  });
});

it('what surprises is said once there are no errors', async () => {
  const text = (name: string) => `version: '1.4'\nflags:\n  - { key: a, name: ${name} }\n`;
  expect(await lintFile(text('5'), 'v2')).toMatchObject([{ rule: 'invalid' }]);
  expect(await lintFile(text('A'), 'v2')).toMatchObject([{ rule: 'missing-type' }]);
});

it('says which rollouts have no value', async () => {
  const text = `flags:
  - { key: r, name: R, type: BOOLEAN_FLAG_TYPE, rollouts: [{ threshold: { percentage: 1 } }, { threshold: { percentage: 2, value: false } }, { threshold: { percentage: 3 } }] }
`;
  const found = (await linted(text)).join('\n');
  expect(found).toContain('without value, as in rollouts 1 and 3, a rollout gives false');
});
