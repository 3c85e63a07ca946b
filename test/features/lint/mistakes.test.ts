import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { findingText, lintFile } from '../../../src/features/lint/lint.js';
import type { LintedVersion } from '../../../src/features/format-versions.js';
import { useFolder } from '../../local/folder.fixture.js';

const V1 = 'Flipt v1 stops its import here.';
const V2 = 'Flipt 2.11 serves no flag of this environment.';
const NOBODY =
  'This Flipt may take it, but the embedded service refuses the file, because it is probably a mistake.';

async function linted(text: string, version: LintedVersion = 'v2'): Promise<readonly string[]> {
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
    [withFlag(`key: a b, ${BOOLEAN}`), 'v2', 'refused: The key of flag "a b" is "a b".', V2],
    [withFlag(`key: a b, ${BOOLEAN}`), 'v1', 'unreadable: The key of flag "a b" is "a b".', NOBODY],
    [withFlag(BOOLEAN), 'v2', 'refused: The key of flag 1 is missing.', `${V2} Write it.`],
    [
      withFlag(`key: a, descripton: x, ${BOOLEAN}`),
      'v2',
      'refused: Flag "a" has the unknown member descripton.',
      `${V2} Write description, or remove it.`,
    ],
    [
      withFlag(`key: a, colour: x, ${BOOLEAN}`),
      'v1',
      'unreadable: Flag "a" has the unknown member colour.',
      `${NOBODY} Remove it.`,
    ],
    [
      withFlag(`key: a, ${BOOLEAN}, rollouts: [{ percentage: 5, value: true }]`),
      'v1',
      'refused: Rollout 1 of flag "a" has the unknown member percentage.',
      `${V1} Write threshold: { percentage, value }, or remove it.`,
    ],
    [
      withFlag(`key: a, ${BOOLEAN}, rollouts: [{ description: x }]`),
      'v2',
      'unreadable: Rollout 1 of flag "a" has neither segment nor threshold.',
      `${NOBODY} Write either segment or threshold.`,
    ],
    [
      withFlag(`key: a, ${BOOLEAN}, rollouts: [{ segment: { key: beta, value: true } }]`),
      'v2',
      'refused: The segment of rollout 1 of flag "a" is "beta", which is no segment of this document.',
      `${V2} Write the key of a segment of this document, or add the segment.`,
    ],
    [
      withFlag(`key: a, variants: [{ key: x, default: true }, { key: x }]`),
      'v1',
      'refused: Two variants have the key "x".',
      `${V1} Write another key, or remove one of the two.`,
    ],
    [
      withFlag(`key: a, variants: [{ key: x, default: true }, { key: y, default: true }]`),
      'v2',
      'unreadable: Flag "a" has several default variants.',
      `${NOBODY} Write at most one of them.`,
    ],
    [
      withFlag(`key: a, ${BOOLEAN}, enabled: perhaps`),
      'v2',
      'refused: The enabled of flag "a" is "perhaps".',
      `${V2} Write true or false.`,
    ],
    [
      withFlag(`key: a, ${BOOLEAN}, enabled: 'x, got "y"'`),
      'v2',
      'refused: The enabled of flag "a" is "x, got "y"".',
      `${V2} Write true or false.`,
    ],
    [withFlag('key: a, rules: x'), 'v2', 'refused: The rules of flag "a" are "x".', `${V2} Write a list.`],
    [
      withConstraint('type: STRING_COMPARISON_TYPE, operator: isoneof, value: [de, fr]'),
      'v1',
      'refused: The value of constraint 1 of segment "s" is a list.',
      `${V1} Write a JSON array in quotes, because Flipt v1 takes no list (semantics v2 does).`,
    ],
    [
      withConstraint('type: STRING_COMPARISON_TYPE, operator: isoneof, value: "de, fr"'),
      'v2',
      'unreadable: The value of constraint 1 of segment "s" is "de, fr".',
      `${NOBODY} Write a JSON array of strings, such as '["de","fr"]'.`,
    ],
    [
      withConstraint(`type: STRING_COMPARISON_TYPE, operator: isoneof, value: '"de"'`),
      'v2',
      'unreadable: The value of constraint 1 of segment "s" is ""de"".',
      `${NOBODY} Write a JSON array of strings.`,
    ],
    [
      withConstraint('type: NUMBER_COMPARISON_TYPE, operator: gte, value: 18px'),
      'v2',
      'unreadable: The value of constraint 1 of segment "s" is "18px".',
      `${NOBODY} Write a number.`,
    ],
    [
      withConstraint('type: STRING_COMPARISON_TYPE, operator: eq, value: 2024-01-01'),
      'v2',
      'unreadable: The value of constraint 1 of segment "s" is a date without quotes.',
      `${NOBODY} Put it in quotes.`,
    ],
    [
      withConstraint('type: STRING_COMPARISON_TYPE, operator: isoneof'),
      'v2',
      'refused: The value of constraint 1 of segment "s" is "".',
      V2,
    ],
    ['namespace: a b\n', 'v2', 'refused: The namespace of the document is "a b".', V2],
    [
      'namespace: a\n---\nnamespace: a\n',
      'v2',
      'unreadable: The namespace "a" already has a document.',
      `${NOBODY} Write one document for each namespace.`,
    ],
    ['flags: { a: { state: ENABLED } }\n', 'v2', 'refused: This is a file of flagd, not of Flipt.', V2],
    ['[]\n\n', 'v2', 'refused: The document is a list.', `${V2} Write a mapping.`],
  ] as const)('%j, %s: %s', async (text, version, problem, more) => {
    const found = (await linted(text, version)).filter((line) => !line.includes('refused-elsewhere'));
    expect(found).toEqual([expect.stringContaining(`: error: ${problem} ${more}`)]);
  });
});

describe('a value that should be a text', () => {
  const at = useFolder();
  const typed = (type: unknown) => JSON.stringify({ version: '1.4', flags: [{ key: 'a', name: 'A', type }] });

  it.each([
    ['unreadable', 'features.yml', 5],
    ['unreadable', 'features.yml', true],
    ['unreadable', 'features.json', 'text'],
    ['refused', 'features.json', 5],
    ['refused', 'features.json', true],
  ])('is %s by an import of v1 if %s has the type %j', async (rule, file, type) => {
    await writeFile(at(file), typed(type));
    expect(await lintFile(at(file), 'v1')).toMatchObject([{ rule, path: 'flags[0].type' }]);
  });
});

describe('an operator that the type does not have', () => {
  const PRESENT = withConstraint('type: STRING_COMPARISON_TYPE, operator: present');

  it.each(['v2.8', 'v2.9', 'v2.10', 'v2'] as const)(
    'is refused by %s, and is no single value',
    async (version) => {
      expect(await lintFile(PRESENT, version)).toMatchObject([
        {
          line: 5,
          rule: 'refused',
          level: 'error',
          problem:
            'The operator of constraint 1 of segment "s" is "present", which STRING_COMPARISON_TYPE does not have.',
          effect: expect.stringContaining('serves no flag of this environment') as string,
        },
      ]);
    },
  );

  it('is taken by the import of v1, with which it matches nobody', async () => {
    const found = await lintFile(PRESENT, 'v1');
    expect(found.map(({ rule }) => rule)).toEqual(['single-value', 'operator-type']);
  });

  it('is unreadable where Flipt takes it by mistake', async () => {
    const le = withConstraint('type: NUMBER_COMPARISON_TYPE, operator: le, value: "1"');
    expect(await lintFile(le, 'v2')).toMatchObject([{ rule: 'unreadable' }]);
  });
});

it('says all mistakes of a file, and all else that does not depend on them', async () => {
  const text = `version: '1.4'
flags:
  - { key: a, name: A, enabled: true, variants: [{ key: x }], rules: [{ segment: s, distributions: [{ variant: y, rollout: 100 }] }] }
  - { key: b, name: B, type: BOOLEAN_FLAG_TYPE, rollouts: [{ segment: { key: s } }] }
  - { key: c, name: C, type: BOOLEAN_FLAG_TYPE, rollouts: [{ threshold: { percentage: 0.2, value: true } }] }
  - { key: d, name: D }
segments:
  - { key: s, name: S, match_type: ALL_MATCH_TYPE, constraints: [{ type: STRING_COMPARISON_TYPE, property: p, operator: gte, value: x }] }
---
namespace: team
flags:
  - { key: e }
  - { key: f, name: F, wrong: 1 }
---
namespace: other
flags:
  - { key: g, name: G }
`;
  const found = await lintFile(text, 'v2');
  expect(found.map(({ line, rule, path }) => `${line} ${rule} ${path}`)).toEqual([
    '3 refused flags[0].rules[0].distributions[0].variant',
    '5 small-percentage flags[2].rollouts[0].threshold.percentage',
    '6 missing-type flags[3]',
    '8 refused segments[0].constraints[0].operator',
    '12 refused flags[0].name',
    '13 refused flags[1].wrong',
    '17 missing-type flags[0]',
  ]);
});

it('says which rollouts have no value, and which members are many', async () => {
  const text = `flags:
  - { key: q, name: Q, type: BOOLEAN_FLAG_TYPE, rollouts: }
  - { key: r, name: R, type: BOOLEAN_FLAG_TYPE, rollouts: [{ threshold: { percentage: 1 } }, { threshold: { percentage: 2, value: false } }, { threshold: { percentage: 3 } }] }
`;
  const found = (await linted(text)).join('\n');
  expect(found).toContain('The rollouts of flag "q" are null, but must have a value or be left out.');
  expect(found).toContain('without value, as in rollouts 1 and 3, a rollout gives false');
});
