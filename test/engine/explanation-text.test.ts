import { describe, expect, it } from 'vitest';
import { compileFeatures } from '../../src/engine/compile.js';
import { entityOf } from '../../src/engine/entity.js';
import { explain, explainConstraint } from '../../src/engine/explain.js';
import { explanationText } from '../../src/engine/explanation-text.js';
import type { Constraint, Flag, Rule, Segment } from '../../src/engine/features.js';
import { booleanFlag, variantFlag } from './plain-flags.fixture.js';

const constraint = (operator: string, value = ''): Constraint => ({
  type: 'STRING_COMPARISON_TYPE',
  property: 'p',
  operator,
  value,
});
const segment = (key: string, constraints: readonly Constraint[], more?: Partial<Segment>): Segment => ({
  key,
  matchType: 'ALL_MATCH_TYPE',
  constraints,
  ...more,
});
const SEGMENTS = [
  segment('all', []),
  segment('pro', [constraint('eq', 'pro')]),
  segment('both', [constraint('eq', 'pro'), constraint('notempty')]),
  segment('either', [constraint('eq', 'pro'), constraint('empty')], {
    matchType: 'ANY_MATCH_TYPE',
  }),
  segment('odd', [], { matchType: 7 }),
];

function textOf(flag: Flag): string {
  const segments = new Map(SEGMENTS.map((each) => [each.key, each]));
  const features = compileFeatures({ flags: new Map([[flag.key, flag]]), segments }, 'v1');
  return explanationText(
    explain(features, { namespace: 'default', flag: 'f', entity: 'e1', attributes: {} }),
  );
}

const rule = (...segmentKeys: string[]): Rule => ({
  segmentKeys,
  segmentOperator: 'OR_SEGMENT_OPERATOR',
  distributions: [],
});
const rollout = (...segmentKeys: string[]) =>
  ({ kind: 'segment', ...rule(...segmentKeys), value: true }) as const;
const threshold = (percentage: number) => ({ kind: 'threshold', percentage, value: true }) as const;

describe('a flag in words', () => {
  const lines = (...text: readonly string[]) => text.join('\n');
  const title = 'Flag "f" in namespace "default" for entity "e1"';
  const halves = [
    { variantId: '1', rollout: 50 },
    { variantId: '2', rollout: 50 },
  ];

  it.each<[name: string, flag: Flag, words: readonly string[]]>([
    [
      'that does not exist',
      { ...booleanFlag, key: 'g' },
      ['Answer: flag not found', 'Decided by: there is no such flag'],
    ],
    [
      'that is disabled',
      { ...variantFlag, enabled: false, defaultVariantId: '1', rules: [rule('all')] },
      [
        'Answer: variant "red", reason FLAG_DISABLED',
        'Decided by: the flag is disabled',
        'Rule 1 was not reached',
      ],
    ],
    [
      'without rules',
      variantFlag,
      [
        'Answer: no variant, reason UNKNOWN',
        'Decided by: the flag has no rules, and there is no default variant',
      ],
    ],
    [
      'with a default variant that no rule overrules',
      { ...variantFlag, defaultVariantId: '1', rules: [rule('pro')] },
      [
        'Answer: variant "red", reason DEFAULT',
        'Decided by: no rule applied, so the default variant counts',
        'Rule 1 did not apply: its segment decides',
        '  Segment "pro" does not match: its constraint decides',
        '    string "p" eq "pro": does not match, there is no value',
      ],
    ],
    [
      'whose second rule decides',
      {
        ...variantFlag,
        rules: [rule('pro', 'gone'), { ...rule('all'), distributions: halves }, rule('all')],
      },
      [
        'Answer: variant "red", reason MATCH',
        'Decided by: rule 2',
        'Rule 1 did not apply: it needs one of its segments',
        '  Segment "pro" does not match: its constraint decides',
        '    string "p" eq "pro": does not match, there is no value',
        '  Segment "gone" does not match: it does not exist',
        'Rule 2 applied: its segment decides',
        '  Segment "all" matches: it has no constraints',
        '  The entity is in bucket 128 of 1000',
        '    50 % variant "red": buckets below 500, chosen',
        '    50 % variant "blue": buckets below 1000',
        'Rule 3 was not reached',
      ],
    ],
    [
      'whose rule distributes no variant',
      { ...variantFlag, rules: [rule('all')] },
      [
        'Answer: no variant, reason MATCH',
        'Decided by: rule 1, which distributes no variant',
        'Rule 1 applied: its segment decides',
        '  Segment "all" matches: it has no constraints',
      ],
    ],
    [
      'whose distributions leave the entity out',
      { ...variantFlag, rules: [{ ...rule('all'), distributions: [{ variantId: 'gone', rollout: 0.1 }] }] },
      [
        'Answer: no variant, reason UNKNOWN',
        'Decided by: rule 1, whose distributions leave the entity out',
        'Rule 1 applied: its segment decides',
        '  Segment "all" matches: it has no constraints',
        '  The entity is in bucket 128 of 1000',
        '    0.1 % the default variant: buckets below 1',
      ],
    ],
    [
      'whose rule needs all segments',
      {
        ...variantFlag,
        rules: [{ ...rule('all', 'both', 'either', 'odd'), segmentOperator: 'AND_SEGMENT_OPERATOR' }],
      },
      [
        'Answer: no variant, reason UNKNOWN',
        'Decided by: no rule applied, and there is no default variant',
        'Rule 1 did not apply: it needs all of its segments',
        '  Segment "all" matches: it has no constraints',
        '  Segment "both" does not match: it needs all of its constraints',
        '    string "p" eq "pro": does not match, there is no value',
        '    string "p" notempty: does not match, there is no value',
        '  Segment "either" matches: it needs one of its constraints',
        '    string "p" eq "pro": does not match, there is no value',
        '    string "p" empty: matches, there is no value',
        '  Segment "odd" does not match: its match type is unknown',
      ],
    ],
    [
      'without rollouts',
      booleanFlag,
      [
        'Answer: false, reason DEFAULT',
        "Decided by: the flag has no rollouts, so the flag's own state counts",
      ],
    ],
    [
      'whose rollouts do not apply',
      { ...booleanFlag, rollouts: [threshold(0.5), rollout('pro')] },
      [
        'Answer: false, reason DEFAULT',
        "Decided by: no rollout applied, so the flag's own state counts",
        'Rollout 1 did not apply: true for 0.5 % of entities, this one is at 70',
        'Rollout 2 did not apply: its segment decides',
        '  Segment "pro" does not match: its constraint decides',
        '    string "p" eq "pro": does not match, there is no value',
      ],
    ],
    [
      'whose first rollout decides',
      { ...booleanFlag, rollouts: [threshold(100), rollout('all')] },
      [
        'Answer: true, reason MATCH',
        'Decided by: rollout 1',
        'Rollout 1 applied: true for 100 % of entities, this one is at 70',
        'Rollout 2 was not reached',
      ],
    ],
    [
      'whose segment decides',
      { ...booleanFlag, rollouts: [rollout('all')] },
      [
        'Answer: true, reason MATCH',
        'Decided by: rollout 1',
        'Rollout 1 applied: its segment decides',
        '  Segment "all" matches: it has no constraints',
      ],
    ],
    [
      'of unknown operator',
      { ...booleanFlag, rollouts: [{ ...rollout('odd'), segmentOperator: 7 }, rollout()] },
      [
        'Answer: true, reason MATCH',
        'Decided by: rollout 1',
        'Rollout 1 applied: its operator is unknown and asks for no segment',
        '  Segment "odd" does not match: its match type is unknown',
        'Rollout 2 was not reached',
      ],
    ],
  ])('%s', (_name, flag, words) => {
    expect(textOf(flag)).toBe(lines(title, ...words));
  });
});

it('a rule without segments says that Flipt 2.11 left them out', () => {
  const flag = { ...variantFlag, rules: [rule()] };
  expect(textOf(flag)).toContain('no segment is left: Flipt 2.11 leaves out a segment');
});

it.each([
  ['gt', '', 'missing'],
  ['gt', ' ', 'unreadable'],
  ['present', ' ', 'missing'],
  ['gt', '4', 'differs'],
])('a constraint %s on the number %j does not match because it is %s', (operator, age, why) => {
  const given = { type: 'NUMBER_COMPARISON_TYPE', property: 'age', operator, value: '5' } as const;
  expect(explainConstraint(given, entityOf({ entity: 'e1', attributes: { age } })).why).toBe(why);
});
