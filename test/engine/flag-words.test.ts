import { describe, expect, it } from 'vitest';
import { flagWords } from '../../src/engine/explanation-text.js';
import type { Features, Flag } from '../../src/engine/features.js';
import { booleanFlag, variantFlag } from './plain-flags.fixture.js';

const FEATURES: Features = {
  flags: new Map(),
  segments: new Map([
    ['all', { key: 'all', matchType: 'ALL_MATCH_TYPE', constraints: [] }],
    [
      'pro',
      {
        key: 'pro',
        matchType: 'ANY_MATCH_TYPE',
        constraints: [
          { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'pro' },
          { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entityId', operator: 'notempty', value: '' },
        ],
      },
    ],
  ]),
};

const choice = (...segmentKeys: string[]) =>
  ({ segmentKeys, segmentOperator: 'AND_SEGMENT_OPERATOR' }) as const;

const PRO = [
  '  Segment "pro": it needs one of its constraints',
  '    string "plan" eq "pro"',
  '    the entity id notempty',
];

/** As on the page, with each level indented further. */
function linesOf(flag: Flag): readonly string[] {
  const { steps, otherwise } = flagWords(flag, FEATURES);
  return [
    ...steps.flatMap(({ text, segments }) => [
      text,
      ...segments.flatMap((segment) => [
        `  ${segment.text}`,
        ...segment.constraints.map((constraint) => `    ${constraint}`),
      ]),
    ]),
    otherwise,
  ];
}

describe('the rules of a flag in words', () => {
  it.each<[name: string, flag: Flag, words: readonly string[]]>([
    ['without rollouts', booleanFlag, ['Otherwise: false']],
    [
      'with rollouts',
      {
        ...booleanFlag,
        enabled: true,
        rollouts: [
          { kind: 'segment', ...choice('pro'), value: true },
          { kind: 'threshold', percentage: 0.5, value: false },
        ],
      },
      [
        'Rollout 1: true; its segment decides',
        ...PRO,
        'Rollout 2: false for 0.5 % of entities',
        'Otherwise: true',
      ],
    ],
    ['without rules', variantFlag, ['Otherwise: no variant']],
    [
      'with rules and a default variant',
      {
        ...variantFlag,
        defaultVariantId: '2',
        rules: [
          {
            ...choice('pro', 'all', 'gone'),
            distributions: [
              { variantId: '1', rollout: 60 },
              { variantId: 'gone', rollout: 40 },
              { variantId: '2', rollout: 0 },
            ],
          },
          { ...choice('all'), distributions: [] },
        ],
      },
      [
        'Rule 1: 60 % variant "red", 40 % the default variant; it needs all of its segments',
        ...PRO,
        '  Segment "all": it has no constraints',
        '  Segment "gone": it does not exist',
        'Rule 2: no variant; its segment decides',
        '  Segment "all": it has no constraints',
        'Otherwise: variant "blue"',
      ],
    ],
    [
      'that is disabled',
      { ...variantFlag, enabled: false, defaultVariantId: '1' },
      ['The flag is disabled: no rule is evaluated, variant "red"'],
    ],
  ])('%s', (_, flag, words) => {
    expect(linesOf(flag)).toEqual(words);
  });
});
