import { expect, it } from 'vitest';
import { compileFeatures } from '../../src/engine/compile.js';
import { entityOf } from '../../src/engine/entity.js';
import { isBucketDecisive } from '../../src/engine/explain.js';
import type { Flag, Rollout, Rule, Semantics } from '../../src/engine/features.js';

const NOBODY = entityOf({ entity: '', attributes: {} });
const choice = (key: string) => ({ segmentKeys: [key], segmentOperator: 'OR_SEGMENT_OPERATOR' as const });
const rule = (key: string, ...rollouts: readonly number[]): Rule => ({
  ...choice(key),
  distributions: rollouts.map((rollout, at) => ({ variantId: String(at), rollout })),
});
const variant = (enabled: boolean, ...rules: readonly Rule[]): Flag => ({
  type: 'VARIANT_FLAG_TYPE',
  key: 'flag',
  enabled,
  variants: new Map(),
  rules,
});
const boolean = (...rollouts: readonly Rollout[]): Flag => ({
  type: 'BOOLEAN_FLAG_TYPE',
  key: 'flag',
  enabled: false,
  rollouts,
});
const threshold = (percentage: number): Rollout => ({ kind: 'threshold', percentage, value: true });
const segment = (key: string): Rollout => ({ kind: 'segment', ...choice(key), value: true });

const allOf = (...segmentKeys: readonly string[]) => ({
  segmentKeys,
  segmentOperator: 'AND_SEGMENT_OPERATOR' as const,
});
const forAllOf = (): Rollout => ({ kind: 'segment', ...allOf(), value: true });
const needsBoth = (rollout: number): Rule => ({ ...rule('all', rollout), ...allOf('all', 'none') });

const segments = new Map([
  ['all', { key: 'all', matchType: 'ALL_MATCH_TYPE', constraints: [] } as const],
  ['none', { key: 'none', matchType: 2, constraints: [] } as const],
]);

it.each<[string, boolean, Flag]>([
  ['several variants', true, variant(true, rule('all', 50, 50))],
  ['one variant, to some only', true, variant(true, rule('all', 50))],
  ['one variant, to all', false, variant(true, rule('all', 100))],
  ['one variant beside others without a share', false, variant(true, rule('all', 100, 0))],
  ['one variant, to some but too few buckets', true, variant(true, rule('all', 0.05))],
  ['a rule without variants', false, variant(true, rule('all'))],
  ['a rule that does not match', false, variant(true, rule('none', 50, 50))],
  ['a rule behind one that matches', false, variant(true, rule('all', 100), rule('all', 50, 50))],
  ['a rule behind one that does not match', true, variant(true, rule('none', 100), rule('all', 50, 50))],
  ['rules of a disabled flag', false, variant(false, rule('all', 50, 50))],
  ['a percentage', true, boolean(threshold(1))],
  ['a percentage of 0', false, boolean(threshold(0))],
  ['a percentage of 99', true, boolean(threshold(99))],
  ['a percentage of 100', false, boolean(threshold(100))],
  ['a percentage above that of all entities', false, boolean(threshold(99.5))],
  ['a percentage behind a segment that matches', false, boolean(segment('all'), threshold(50))],
  ['a percentage behind one of 0', true, boolean(threshold(0), threshold(50))],
  ['a percentage behind one of 100', false, boolean(threshold(100), threshold(50))],
  ['no rollouts', false, boolean()],
  ['a rule that needs all of no segments', true, variant(true, { ...rule('all', 50, 50), ...allOf() })],
  ['a rollout that needs all of no segments', false, boolean(forAllOf(), threshold(50))],
  ['a rule behind one that needs more segments', true, variant(true, needsBoth(100), rule('all', 50, 50))],
  ['a rule that needs no segment', true, variant(true, { ...rule('none', 50, 50), segmentOperator: 2 })],
])('with %s, the bucket decides: %s', (_name, expected, flag) => {
  const features = compileFeatures({ flags: new Map([['flag', flag]]), segments }, 'v1');
  expect(isBucketDecisive(features, 'flag', NOBODY)).toBe(expected);
});

it('does not decide a rule with one variant if Flipt scales its percentage to 100', () => {
  const features = { flags: new Map([['flag', variant(true, rule('all', 50))]]), segments };
  const decidedIn = (semantics: Semantics) =>
    isBucketDecisive(compileFeatures(features, semantics), 'flag', NOBODY);
  expect([decidedIn('v2'), decidedIn('v2.8'), decidedIn('v1')]).toEqual([false, true, true]);
});
