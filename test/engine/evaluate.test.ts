import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluator } from '../../src/engine/compile.js';
import type { BooleanFlag, Features, Rule, Segment, VariantFlag } from '../../src/engine/features.js';

const everybody: Segment = { key: 'everybody', matchType: 'ALL_MATCH_TYPE', constraints: [] };
const nobody: Segment = {
  key: 'nobody',
  matchType: 'ANY_MATCH_TYPE',
  constraints: [{ type: 'STRING_COMPARISON_TYPE', property: 'p', operator: 'nonsense', value: '' }],
};
const strange: Segment = { key: 'strange', matchType: 7, constraints: [] };

const rule = (...segmentKeys: string[]): Rule => ({
  segmentKeys,
  segmentOperator: 'OR_SEGMENT_OPERATOR',
  distributions: [],
});
const all = { variantId: 'red', rollout: 100 };

const variantFlag: VariantFlag = {
  type: 'VARIANT_FLAG_TYPE',
  key: 'flag',
  enabled: true,
  variants: new Map([
    ['red', { key: 'Red', attachment: '{"a":1}' }],
    ['bare', { key: 'Bare', attachment: '' }],
  ]),
  rules: [],
};
const booleanFlag: BooleanFlag = { type: 'BOOLEAN_FLAG_TYPE', key: 'flag', enabled: false, rollouts: [] };

function ask(flag: VariantFlag | BooleanFlag, semantics: 'v1' | 'v2' = 'v1'): Record<string, unknown> {
  const segments = [everybody, nobody, strange].map((segment) => [segment.key, segment] as const);
  const features: Features = { flags: new Map([['flag', flag]]), segments: new Map(segments) };
  const question = { namespace: 'default', flag: 'flag', entity: 'e', attributes: {} };
  return { ...evaluator(semantics)(features, question) };
}

describe('what does not exist', () => {
  const question = { namespace: 'default', flag: '__proto__', entity: '', attributes: {} };

  it.each([undefined, { flags: new Map(), segments: new Map() }])('is missing', (features) => {
    expect(evaluator('v1')(features, question)).toEqual({ kind: 'missing' });
  });
});

describe('a variant flag', () => {
  it('without rules and default variant is UNKNOWN', () => {
    expect(ask(variantFlag)).toEqual({
      kind: 'variant',
      match: false,
      variant: '',
      attachment: '',
      reason: 'UNKNOWN',
      segmentKeys: [],
      requestId: '',
    });
  });

  it('gives its default variant if no rule matches', () => {
    const answer = ask({ ...variantFlag, defaultVariantId: 'red', rules: [rule('nobody')] });
    expect(answer).toMatchObject({ match: false, reason: 'DEFAULT', variant: 'Red', attachment: '{"a":1}' });
  });

  it('keeps its default variant in the answer while it is disabled', () => {
    const rules = [{ ...rule('everybody'), distributions: [all] }];
    const answer = ask({ ...variantFlag, enabled: false, defaultVariantId: 'bare', rules });
    expect(answer).toMatchObject({ match: false, reason: 'FLAG_DISABLED', variant: 'Bare', segmentKeys: [] });
  });

  it('is decided by the first rule that matches', () => {
    const first = { ...rule('everybody'), distributions: [{ variantId: 'bare', rollout: 100 }] };
    const second = { ...rule('everybody'), distributions: [all] };
    expect(ask({ ...variantFlag, rules: [rule('nobody'), first, second] })).toMatchObject({
      variant: 'Bare',
    });
  });

  it('matches without a variant of its own if all shares are 0', () => {
    const rules = [{ ...rule('everybody'), distributions: [{ ...all, rollout: 0 }] }];
    const matched = { match: true, reason: 'MATCH', segmentKeys: ['everybody'] };
    expect(ask({ ...variantFlag, rules })).toMatchObject({ ...matched, variant: '' });
    expect(ask({ ...variantFlag, defaultVariantId: 'red', rules })).toMatchObject({
      ...matched,
      variant: 'Red',
    });
  });

  it('past the last share, in v1, answers as if no rule had matched, but names the segments', () => {
    const rules = [{ ...rule('everybody'), distributions: [{ ...all, rollout: 0.01 }] }];
    expect(ask({ ...variantFlag, rules })).toMatchObject({
      match: false,
      reason: 'UNKNOWN',
      variant: '',
      segmentKeys: ['everybody'],
    });
    expect(ask({ ...variantFlag, rules }, 'v2')).toMatchObject({ match: true, variant: 'Red' });
  });

  it('has an empty attachment in v1 and null in v2 if the variant has none', () => {
    const flag = { ...variantFlag, defaultVariantId: 'bare' };
    expect(ask(flag)).toMatchObject({ attachment: '' });
    expect(ask(flag, 'v2')).toMatchObject({ attachment: 'null' });
  });
});

describe('a boolean flag', () => {
  const threshold = { kind: 'threshold', percentage: 100, value: true } as const;

  it('without rollouts has the value of enabled', () => {
    expect(ask(booleanFlag)).toEqual({
      kind: 'boolean',
      enabled: false,
      reason: 'DEFAULT',
      segmentKeys: [],
      requestId: '',
    });
    expect(ask({ ...booleanFlag, enabled: true })).toMatchObject({ enabled: true, reason: 'DEFAULT' });
  });

  it('follows its rollouts even if it is switched off', () => {
    expect(ask({ ...booleanFlag, rollouts: [threshold] })).toMatchObject({
      enabled: true,
      reason: 'MATCH',
      segmentKeys: [],
    });
  });

  it('is decided by the first rollout that applies', () => {
    const segment = { kind: 'segment', ...rule('nobody'), value: true } as const;
    const rollouts = [segment, { ...segment, segmentKeys: ['everybody', 'nobody'], value: false }, threshold];
    expect(ask({ ...booleanFlag, enabled: true, rollouts })).toMatchObject({
      enabled: false,
      reason: 'MATCH',
      segmentKeys: ['everybody'],
    });
    const none = [{ ...threshold, percentage: 0 }];
    expect(ask({ ...booleanFlag, rollouts: none })).toMatchObject({ reason: 'DEFAULT' });
  });
});

describe('segments', () => {
  const matched = (segmentOperator: Rule['segmentOperator'], ...keys: string[]): unknown =>
    ask({ ...variantFlag, rules: [{ ...rule(...keys), segmentOperator }] }).match;

  it.each([
    ['OR_SEGMENT_OPERATOR', ['everybody', 'nobody'], true],
    ['OR_SEGMENT_OPERATOR', ['nobody'], false],
    ['OR_SEGMENT_OPERATOR', ['strange', 'gone'], false],
    ['AND_SEGMENT_OPERATOR', ['everybody', 'nobody'], false],
    ['AND_SEGMENT_OPERATOR', ['everybody'], true],
    [7, ['nobody'], true],
  ] as const)('%s of %j: %s', (operator, keys, expected) => {
    expect(matched(operator, ...keys)).toBe(expected);
  });

  it('ANY needs one constraint, ALL needs each, and without constraints everybody matches', () => {
    const [wrong] = nobody.constraints;
    const right = { ...wrong!, operator: 'empty' };
    const match = (matchType: Segment['matchType'], constraints: Segment['constraints']): unknown => {
      const segment = { key: 's', matchType, constraints };
      const features = {
        flags: new Map([['flag', { ...variantFlag, rules: [rule('s')] }]]),
        segments: new Map([['s', segment]]),
      };
      const question = { namespace: '', flag: 'flag', entity: '', attributes: {} };
      return { ...evaluator('v1')(features, question) };
    };
    expect(match('ANY_MATCH_TYPE', [wrong!, right])).toMatchObject({ match: true });
    expect(match('ALL_MATCH_TYPE', [wrong!, right])).toMatchObject({ match: false });
    expect(match('ALL_MATCH_TYPE', [right])).toMatchObject({ match: true });
    expect(match('ANY_MATCH_TYPE', [])).toMatchObject({ match: true });
  });
});

describe('any question', () => {
  it('gets the same answer twice', () => {
    const rules = [{ ...rule('everybody'), distributions: [{ ...all, rollout: 30 }] }];
    const features = { flags: new Map([['flag', { ...variantFlag, rules }]]), segments: new Map() };
    const evaluate = evaluator('v1');
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.string()), (entity, attributes) => {
        const question = { namespace: 'n', flag: 'flag', entity, attributes };
        expect(evaluate(features, question)).toEqual(evaluate(features, question));
      }),
    );
  });
});
