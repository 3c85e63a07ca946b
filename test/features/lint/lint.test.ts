import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findingsInRecordings } from './recorded-findings.fixture.js';
import { findingText } from '../../../src/features/problem.js';
import { lintFile } from './linted.fixture.js';
import type { Semantics } from '../../../src/engine/features.js';
import { ALL_SEMANTICS } from '../../../src/engine/version-differences.js';
import { fencesOf, pages, ROOT, textOf } from '../../docs/pages.fixture.js';

const HERE = 'test/features/lint';
const MISTAKES = `${HERE}/every-mistake.features.yml`;

/** `3:5 missing-type` for each finding. */
async function places(file: string, semantics: Semantics = 'v1'): Promise<readonly string[]> {
  const found = await lintFile(file, semantics);
  return found.map(({ line, column, rule }) => `${line}:${column} ${rule}`);
}

describe('a file with every mistake', () => {
  const EXPECTED = readFileSync(new URL('every-mistake.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');

  it.each(['v1', 'v2'] as const)(
    'has a finding for each of them, in the order of the file: %s',
    async (semantics) => {
      // An error hides what surprises.
      const rules = new Map([['operator-type', 'info']] as const);
      const found = (await lintFile(join(ROOT, MISTAKES), semantics, { rules })).map(findingText);
      const shown = found.map((text) => `${semantics} ${text.replace(`${join(ROOT, MISTAKES)}:`, '')}`);
      expect(shown).toEqual(EXPECTED.filter((line) => line.startsWith(semantics)));
    },
  );

  it('names file, namespace and path', async () => {
    const file = join(ROOT, MISTAKES);
    const found = await lintFile(file, 'v1', { rules: new Map([['operator-type', 'info']]) });
    expect(found.find(({ rule }) => rule === 'unreachable-rule')).toMatchObject({
      file,
      namespace: 'default',
      path: 'flags[1].rules[2]',
    });
  });
});

describe('a file without mistakes has no findings', () => {
  const EXAMPLES = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
    .map((file) => `examples/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('features.yml') && !file.includes('node_modules'));
  it.each(EXAMPLES)('%s, for each Flipt', async (file) => {
    for (const semantics of ALL_SEMANTICS) expect(await places(join(ROOT, file), semantics)).toEqual([]);
  });

  const samples = pages().flatMap((page) =>
    fencesOf(textOf(page)).flatMap(({ language, code, line }) =>
      language === 'yaml' && /^(flags|segments):/m.test(code) ? [[`${page}:${line}`, code] as const] : [],
    ),
  );
  it.each(samples)('the sample at %s, for each Flipt', async (_place, code) => {
    for (const semantics of ALL_SEMANTICS) expect(await places(code, semantics)).toEqual([]);
  });

  const PRO = `segments:
  - key: pro
    name: Pro
    match_type: ALL_MATCH_TYPE
    constraints: [{ type: STRING_COMPARISON_TYPE, property: plan, operator: eq, value: pro }]`;
  it.each([
    ['a switch', 'flags: [{ key: a, name: A, type: BOOLEAN_FLAG_TYPE, enabled: true }]'],
    [
      'a setting',
      'flags: [{ key: a, name: A, enabled: true, variants: [{ key: x, default: true }, { key: y }] }]',
    ],
    [
      'a variant for everybody while the flag is enabled',
      `flags:
  - key: a
    name: A
    variants: [{ key: x }]
    rules: [{ segment: all, distributions: [{ variant: x, rollout: 100 }] }]
segments: [{ key: all, name: All, match_type: ALL_MATCH_TYPE }]`,
    ],
    [
      'percentages with a rounding error',
      `flags:
  - key: a
    name: A
    variants: [{ key: x }, { key: y }, { key: z }]
    rules:
      - segment: pro
        distributions: [{ variant: x, rollout: 33.3 }, { variant: y, rollout: 33.4 }, { variant: z, rollout: 33.3 }]
${PRO}`,
    ],
  ])('%s', async (_what, text) => {
    expect(await places(`${text}\n`)).toEqual([]);
  });
});

it('finds a reviewed list in the recorded features, which are random', async () => {
  const recorded = readFileSync(new URL('recorded-findings.txt', import.meta.url), 'utf8');
  expect((await findingsInRecordings()).join('\n')).toBe(recorded.trim());
});

it('a property of a constraint is a text in one line', async () => {
  const constraint = `{ type: STRING_COMPARISON_TYPE, property: "pl\\nan", operator: eq, value: pro }`;
  const text = `version: '1.4'\nsegments:\n  - { key: s, name: S, match_type: ALL_MATCH_TYPE, constraints: [${constraint}] }\n`;
  expect(await places(text, 'v2')).toEqual(['3:98 refused']);
  expect(await places(text, 'v2.8')).toEqual(['3:98 refused']);
  expect(await places(text, 'v1')).toEqual(['3:5 unused-segment']);
});

it('reads ranks, lists, and JSON documents one after another', async () => {
  const rules = [
    { segment: 'pro', rank: 2, distributions: [{ variant: 'x', rollout: 100 }] },
    { segment: 'all', rank: 1, distributions: [{ variant: 'y', rollout: 100 }] },
  ];
  const variants = [{ key: 'x' }, { key: 'y' }];
  const constraint = { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'isoneof' };
  const segments = (value: unknown) => [
    { key: 'pro', name: 'Pro', match_type: 'ALL_MATCH_TYPE', constraints: [{ ...constraint, value }] },
    { key: 'all', name: 'All', match_type: 'ALL_MATCH_TYPE' },
  ];
  const documentOf = (namespace: string, value: unknown) =>
    JSON.stringify(
      { namespace, flags: [{ key: 'f', name: 'F', variants, rules }], segments: segments(value) },
      null,
      1,
    );

  const ranked = await lintFile(`${documentOf('default', '["#a"]')}\n`, 'v1');
  expect(ranked.map(({ rule, path, fix }) => [rule, path, fix])).toEqual([
    ['single-value', 'flags[0]', expect.anything()],
    ['unreachable-rule', 'flags[0].rules[0]', 'Give it a lower rank than rule 2, or remove it.'],
  ]);
  expect(await lintFile(documentOf('default', ['#a']), 'v2.10')).toMatchObject([{ rule: 'refused' }]);

  const exported = `# exported\n# flipt-lint-ignore-file: single-value\n${documentOf('default', '["#a"]')}\n${documentOf('team', '[]')}\n`;
  const found = await lintFile(exported, 'v1');
  expect(found.map(({ rule, namespace, path }) => `${rule} ${namespace} ${path}`)).toEqual([
    'unreachable-rule default flags[0].rules[0]',
    'never-matches team segments[0].constraints[0]',
  ]);
  const written = exported.split('\n');
  expect(found.map(({ line }) => written[(line ?? 0) - 1]?.trim())).toEqual(['{', '{']);
});

describe('a comment turns a rule off', () => {
  const flags = (first: string, end = '', second = ''): string =>
    `${first}\nflags:\n  ${second}\n  - key: a ${end}\n    name: A\n  - key: b\n    name: B\n`;
  it.each([
    ['at the end of the line', flags('', '# flipt-lint-ignore: missing-type'), ['6:5 missing-type']],
    ['above the line', flags('', '', '# flipt-lint-ignore: missing-type'), ['6:5 missing-type']],
    [
      'above other comments',
      flags('', '', '# flipt-lint-ignore: missing-type\n\n  # why'),
      ['8:5 missing-type'],
    ],
    ['for the file', flags('# flipt-lint-ignore-file: missing-type'), []],
    ['with others', flags('# flipt-lint-ignore-file: unused-segment, missing-type -- both'), []],
    ['without a colon', flags('# flipt-lint-ignore-file missing-type'), []],
    [
      'of another rule',
      flags('# flipt-lint-ignore-file: rollout-sum'),
      ['4:5 missing-type', '6:5 missing-type'],
    ],
  ])('%s', async (_where, text, expected) => {
    expect(await places(text)).toEqual(expected);
  });

  it.each([
    ['flipt-lint-ignore: missing-typ', /unknown rule "missing-typ"; did you mean "missing-type"\?/],
    ['flipt-lint-ignore', /names no rule/],
    [
      'flipt-lint-ignore-fil: missing-type',
      /flipt-lint-ignore-fil is unknown; did you mean "flipt-lint-ignore-file"\?/,
    ],
  ])('and says so if it cannot: %s', async (comment, problem) => {
    const found = await lintFile(`# ${comment}\nflags: []\n`, 'v1');
    expect(found).toMatchObject([{ line: 1, column: 1, rule: 'unknown-rule' }]);
    expect(found[0]?.problem).toMatch(problem);
  });

  it('and no other rule then says the same', async () => {
    const text = (type: string, rule: string) =>
      `# flipt-lint-ignore-file: ${rule}, unused-segment\nsegments:\n  - { key: s, constraints: [{ type: ${type}, property: age, operator: prefix, value: "1" }] }\n`;
    expect(await lintFile(text('NUMBER_COMPARISON_TYPE', 'rollout-sum'), 'v1')).toMatchObject([
      { line: 3, rule: 'operator-type', level: 'error' },
    ]);
    expect(await lintFile(text('NUMBER_COMPARISON_TYPE', 'operator-type'), 'v1')).toEqual([]);
    const rules = new Map([['operator-type', 'off']] as const);
    expect(await lintFile(text('NUMBER_COMPARISON_TYPE', 'rollout-sum'), 'v1', { rules })).toEqual([]);
  });
});
