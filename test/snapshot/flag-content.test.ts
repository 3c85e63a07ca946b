import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SegmentChoice } from '../../src/engine/features.js';
import { digestOf } from '../../src/snapshot/flag-content.js';
import { changesOf as changes, contentsOf } from './contents.fixture.js';
import {
  arbitraryPlan,
  arbitraryWriting,
  featuresOf,
  type FlagPlan,
  type Plan,
  type VariantPlan,
} from './plans.fixture.js';

const contents = (plan: Plan) => contentsOf(featuresOf(plan), 'v1');
const changed = (before: Plan, after: Plan) => changes(contents(before), contents(after));

describe('changes', () => {
  it('names a flag if and only if what evaluation reads of it differs', () => {
    const pairs = fc.tuple(arbitraryPlan, arbitraryPlan, fc.func(fc.boolean()));
    fc.assert(
      fc.property(pairs, arbitraryWriting, ([before, other, isKept], writing) => {
        // Mixed, so that many flags and segments are equal in both.
        const after = mixed(before, other, isKept);
        const keys = [...new Set([...Object.keys(before.flags), ...Object.keys(after.flags)])].sort();
        const differing = keys.filter((key) => read(before, key) !== read(after, key));
        const found = changes(contents(before), contentsOf(featuresOf(after, writing), 'v1'));
        expect(found).toEqual(differing);
      }),
      { numRuns: 1000 },
    );
  });

  it('ignores ids, the order of flags and segments, and the order of constraints', () => {
    fc.assert(
      fc.property(arbitraryPlan, arbitraryWriting, (plan, writing) => {
        const other = contentsOf(featuresOf(reordered(plan), writing), 'v1');
        expect(changes(contents(plan), other)).toEqual([]);
        expect(digestOf(other)).toBe(digestOf(contents(plan)));
      }),
    );
  });

  it.each([
    ['with its members in another order', '{"a":1,"b":{"c":2,"d":[3]}}', '{"b":{"d":[3],"c":2},"a":1}'],
    ['with other spaces and escapes', '{"a":"<"}', '{ "a": "\\u003c" }'],
  ])('ignores that an import of Flipt rewrites an attachment: %s', (_how, before, after) => {
    expect(changed(withAttachment(before), withAttachment(after))).toEqual([]);
  });

  it.each([
    ['a value', '{"a":1}', '{"a":2}'],
    ['the order of a list', '[1,2]', '[2,1]'],
    ['a name that flags have, too', '{"id":1,"name":"a"}', '{"id":2,"name":"b"}'],
    ['what is no JSON', '{', '{{'],
    ['text in place of a number', '1', '"1"'],
  ])('names a flag of whose attachment this has changed: %s', (_what, before, after) => {
    expect(changed(withAttachment(before), withAttachment(after))).toEqual(['colour']);
  });

  it('names flags with variants after an upgrade from v1 to v2, which divides shares in another way', () => {
    const features = featuresOf(PLAN);

    expect(changes(contentsOf(features, 'v1'), contentsOf(features, 'v2'))).toEqual(['colour', 'size']);
  });
});

const NEW_SEGMENT = { matchType: 'ALL_MATCH_TYPE', constraints: [] } as const;
const RED = { key: 'red', attachment: '{"hex":"f00"}' };
const BLUE = { key: 'blue', attachment: '' };
const PRO = { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'pro' } as const;
const OLD = { type: 'NUMBER_COMPARISON_TYPE', property: 'age', operator: 'gt', value: '65' } as const;
const PLAN = {
  segments: {
    pros: { matchType: 'ALL_MATCH_TYPE', constraints: [PRO, OLD] },
    everyone: { matchType: 'ANY_MATCH_TYPE', constraints: [] },
    unused: { matchType: 'ANY_MATCH_TYPE', constraints: [PRO] },
  },
  flags: {
    colour: {
      enabled: true,
      byDefault: BLUE,
      rules: [
        {
          segmentKeys: ['pros', 'everyone'],
          segmentOperator: 'AND_SEGMENT_OPERATOR',
          shares: [
            { variant: RED, rollout: 20 },
            { variant: BLUE, rollout: 80 },
          ],
        },
      ],
    },
    size: {
      enabled: true,
      byDefault: undefined,
      rules: [{ segmentKeys: ['everyone'], segmentOperator: 'OR_SEGMENT_OPERATOR', shares: [] }],
    },
    beta: {
      enabled: false,
      rollouts: [
        { segmentKeys: ['pros'], segmentOperator: 'OR_SEGMENT_OPERATOR', value: true },
        { percentage: 12.5, value: true },
      ],
    },
    plain: { enabled: true, rollouts: [] },
  },
} satisfies Plan;

function withAttachment(attachment: string): Plan {
  return {
    ...PLAN,
    flags: { ...PLAN.flags, colour: { ...PLAN.flags.colour, byDefault: { ...BLUE, attachment } } },
  };
}

describe('one edit names exactly the flags that use what was edited:', () => {
  const { segments, flags } = PLAN;
  const { colour, size, beta } = flags;
  const [rule] = colour.rules;
  const [red, blue] = rule!.shares;
  const [forPros, threshold] = beta.rollouts;
  const withSegment = (key: string, segment: Plan['segments'][string]): Plan => ({
    flags,
    segments: { ...segments, [key]: segment },
  });
  const withFlag = (key: string, flag: FlagPlan): Plan => ({ segments, flags: { ...flags, [key]: flag } });
  const withRule = (more: Partial<VariantPlan['rules'][number]>): Plan =>
    withFlag('colour', { ...colour, rules: [{ ...rule!, ...more }] });
  const { pros } = segments;

  it.each<[string, Plan, readonly string[]]>([
    ['a flag is switched off', withFlag('plain', { enabled: false, rollouts: [] }), ['plain']],
    ['a flag is added', withFlag('new', { enabled: true, rollouts: [] }), ['new']],
    ['a flag is removed', { segments, flags: { colour, size, beta } }, ['plain']],
    [
      'a flag becomes one with variants',
      withFlag('plain', { enabled: true, byDefault: undefined, rules: [] }),
      ['plain'],
    ],
    ['the default variant is another', withFlag('colour', { ...colour, byDefault: RED }), ['colour']],
    [
      'there is no default variant any more',
      withFlag('colour', { ...colour, byDefault: undefined }),
      ['colour'],
    ],
    ['a rule is removed', withFlag('size', { ...size, rules: [] }), ['size']],
    ['rules change places', withFlag('size', { ...size, rules: [rule!, ...size.rules] }), ['size']],
    ['a rule needs any of its segments', withRule({ segmentOperator: 'OR_SEGMENT_OPERATOR' }), ['colour']],
    ['a rule loses a segment', withRule({ segmentKeys: ['everyone'] }), ['colour']],
    ['a share grows', withRule({ shares: [{ ...red!, rollout: 21 }, blue!] }), ['colour']],
    ['shares change places', withRule({ shares: [blue!, red!] }), ['colour']],
    [
      'a variant is renamed',
      withRule({ shares: [{ ...red!, variant: { ...RED, key: 'r' } }, blue!] }),
      ['colour'],
    ],
    [
      'an attachment is another',
      withRule({ shares: [{ ...red!, variant: { ...RED, attachment: '' } }, blue!] }),
      ['colour'],
    ],
    [
      'a threshold moves',
      withFlag('beta', { ...beta, rollouts: [forPros!, { percentage: 13, value: true }] }),
      ['beta'],
    ],
    [
      'a threshold gives false',
      withFlag('beta', { ...beta, rollouts: [forPros!, { percentage: 12.5, value: false }] }),
      ['beta'],
    ],
    ['rollouts change places', withFlag('beta', { ...beta, rollouts: [threshold!, forPros!] }), ['beta']],
    [
      'a segment matches any constraint',
      withSegment('pros', { ...pros, matchType: 'ANY_MATCH_TYPE' }),
      ['beta', 'colour'],
    ],
    ['a constraint is removed', withSegment('pros', { ...pros, constraints: [PRO] }), ['beta', 'colour']],
    [
      'a value is another',
      withSegment('pros', { ...pros, constraints: [{ ...PRO, value: 'max' }, OLD] }),
      ['beta', 'colour'],
    ],
    [
      'an operator is another',
      withSegment('pros', { ...pros, constraints: [{ ...PRO, operator: 'neq' }, OLD] }),
      ['beta', 'colour'],
    ],
    [
      'an attribute is another',
      withSegment('pros', { ...pros, constraints: [{ ...PRO, property: 'tier' }, OLD] }),
      ['beta', 'colour'],
    ],
    [
      'a comparison is another',
      withSegment('pros', { ...pros, constraints: [PRO, { ...OLD, type: 'STRING_COMPARISON_TYPE' }] }),
      ['beta', 'colour'],
    ],
    ['an unused segment is edited', withSegment('unused', NEW_SEGMENT), []],
    ['a segment is added', withSegment('new', NEW_SEGMENT), []],
  ])('%s', (_edit, after, expected) => {
    expect(changed(PLAN, after)).toEqual(expected);
    expect(changed(after, PLAN)).toEqual(expected);
  });
});

/** Everything that evaluation reads of a flag, as a text that does not depend on the order of its segments. */
function read(plan: Plan, key: string): string {
  return JSON.stringify(partsOf(plan, key) ?? null);
}

function partsOf(plan: Plan, key: string): unknown {
  const flag = Object.hasOwn(plan.flags, key) ? plan.flags[key] : undefined;
  if (flag === undefined) return undefined;
  const choice = ({ segmentKeys, segmentOperator }: SegmentChoice) => ({
    segmentOperator,
    segments: segmentKeys.toSorted().map((name) => {
      const { matchType, constraints } = plan.segments[name]!;
      return {
        name,
        matchType,
        constraints: constraints.map((one) => JSON.stringify(Object.entries(one).sort())).sort(),
      };
    }),
  });
  if ('rollouts' in flag) {
    return {
      enabled: flag.enabled,
      rollouts: flag.rollouts.map((rollout) =>
        'percentage' in rollout ? rollout : { value: rollout.value, ...choice(rollout) },
      ),
    };
  }
  const { enabled, byDefault, rules } = flag;
  return { enabled, byDefault, rules: rules.map((rule) => ({ ...choice(rule), shares: rule.shares })) };
}

function mixed(one: Plan, other: Plan, isKept: (kind: string, key: string) => boolean): Plan {
  const pick = <T>(kind: string, left: Readonly<Record<string, T>>, right: Readonly<Record<string, T>>) =>
    Object.fromEntries([
      ...Object.entries(left).filter(([key]) => isKept(kind, key)),
      ...Object.entries(right).filter(([key]) => !isKept(kind, key)),
    ]);
  return {
    segments: pick('segment', one.segments, other.segments),
    flags: pick('flag', one.flags, other.flags),
  };
}

function reordered({ segments, flags }: Plan): Plan {
  const turned = Object.entries(segments).map(
    ([key, { matchType, constraints }]) =>
      [key, { matchType, constraints: constraints.toReversed() }] as const,
  );
  return { segments: Object.fromEntries(turned), flags };
}
