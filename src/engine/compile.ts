import {
  MISSING,
  type BooleanAnswer,
  type KnownAnswer,
  type Question,
  type ServiceReason,
  type ValueAnswer,
  type VariantAnswer,
} from '../model/answer.js';
import { boundsOf, chosenShare, isUnderThreshold } from './buckets.js';
import { compileConstraint, never, type Matches } from './constraint-match.js';
import { entityOf, type EvaluatedEntity } from './entity.js';
import type {
  FeatureLookup,
  Features,
  Flag,
  Rollout,
  Rule,
  Segment,
  SegmentChoice,
  Semantics,
  VariantFlag,
} from './features.js';
import { neededConstraints, neededSegments, effectiveRules, sharesIn, variantOf } from './effective-rules.js';
import { writtenAttachment } from './version-differences.js';

/** Throws only if reading the entity's attributes throws. */
export type Evaluate<Answer = ValueAnswer> = (entity: EvaluatedEntity) => Answer;

interface CompiledSegment {
  /** A snapshot can hold several segments with the same key, under different names. */
  readonly key: string;
  readonly matches: Matches;
}
type FindSegment = (name: string) => CompiledSegment;

export type CompiledFeatures = ReturnType<typeof compileFeatures>;

/** Each flag is compiled when it is first evaluated. */
export function compileFeatures(features: FeatureLookup, semantics: Semantics) {
  const flags = new Map<string, Evaluate>();
  const segments = new Map<string, CompiledSegment>();

  const findSegment: FindSegment = (name) => {
    const found = segments.get(name) ?? compileSegment(name, features.segments.get(name));
    segments.set(name, found);
    return found;
  };

  return {
    features,
    semantics,
    flag(key: string): Evaluate | undefined {
      const known = flags.get(key);
      if (known !== undefined) return known;
      const flag = features.flags.get(key);
      if (flag === undefined) return undefined;
      const compiled = compileFlag(flag, findSegment, semantics);
      flags.set(key, compiled);
      return compiled;
    },
  };
}

/** `features` is `undefined` without the namespace. A flag that cannot be read counts as missing. Never throws. */
export function evaluate(features: CompiledFeatures | undefined, question: Question): KnownAnswer {
  return features?.flag(question.flag)?.(entityOf(question)) ?? MISSING;
}

export type Evaluator = (features: Features | undefined, question: Question) => KnownAnswer;

/** Compiles each `Features` object once: pass a new one instead of modifying it. */
export function evaluator(semantics: Semantics): Evaluator {
  const compiled = new WeakMap<Features, CompiledFeatures>();
  const compiledOnce = (features: Features) => {
    const known = compiled.get(features) ?? compileFeatures(features, semantics);
    compiled.set(features, known);
    return known;
  };
  return (features, question) => evaluate(features && compiledOnce(features), question);
}

function compileFlag(flag: Flag, find: FindSegment, semantics: Semantics): Evaluate {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    // As in Flipt, rollouts apply even if `enabled` is false.
    const rollouts = flag.rollouts.map((rollout) => compileRollout(rollout, flag.key, find));
    return firstOf(rollouts, booleanAnswer(flag.enabled, 'DEFAULT', []));
  }
  const rules = effectiveRules(flag).map((rule) => compileRule(rule, flag, find, semantics));
  return firstOf(rules, variantAnswer(flag, semantics, flag.enabled ? 'UNMATCHED' : 'FLAG_DISABLED', []));
}

function firstOf<Answer>(steps: readonly Evaluate<Answer | undefined>[], otherwise: Answer) {
  return (entity: EvaluatedEntity) => {
    for (const step of steps) {
      const answer = step(entity);
      if (answer !== undefined) return answer;
    }
    return otherwise;
  };
}

function compileRollout(
  rollout: Rollout,
  flagKey: string,
  find: FindSegment,
): Evaluate<BooleanAnswer | undefined> {
  if (rollout.kind === 'threshold') {
    const split = booleanAnswer(rollout.value, 'MATCH', []);
    return ({ id }) => (isUnderThreshold(flagKey, id, rollout.percentage) ? split : undefined);
  }
  const matchingKeys = compileChoice(rollout, find);
  return (entity) => {
    const keys = matchingKeys(entity);
    return keys && booleanAnswer(rollout.value, 'MATCH', keys);
  };
}

function compileRule(
  rule: Rule,
  flag: VariantFlag,
  find: FindSegment,
  semantics: Semantics,
): Evaluate<VariantAnswer | undefined> {
  const matchingKeys = compileChoice(rule, find);
  const shares = sharesIn(rule.distributions);
  const bounds = boundsOf(shares, semantics);
  return (entity) => {
    const keys = matchingKeys(entity);
    if (keys === undefined) return undefined;
    if (shares.length === 0) return variantAnswer(flag, semantics, 'MATCH', keys);
    const share = shares[chosenShare(flag.key, entity.id, bounds)];
    return variantAnswer(flag, semantics, share ? 'MATCH' : 'UNMATCHED', keys, share?.variantId);
  };
}

function booleanAnswer(
  enabled: boolean,
  reason: ServiceReason,
  segmentKeys: readonly string[],
): BooleanAnswer {
  return { kind: 'boolean', enabled, reason, segmentKeys, requestId: '' };
}

/** `UNMATCHED`: no rule matches, or the matching one's distributions leave the entity out. */
type Outcome = 'FLAG_DISABLED' | 'MATCH' | 'UNMATCHED';

function variantAnswer(
  flag: VariantFlag,
  semantics: Semantics,
  outcome: Outcome,
  segmentKeys: readonly string[],
  variantId?: string,
): VariantAnswer {
  const byDefault = variantOf(flag, flag.defaultVariantId);
  const variant = variantOf(flag, variantId) ?? byDefault;
  return {
    kind: 'variant',
    match: outcome === 'MATCH',
    variant: variant?.key ?? '',
    attachment: variant ? writtenAttachment(variant.attachment, semantics) : '',
    reason: outcome === 'UNMATCHED' ? (byDefault ? 'DEFAULT' : 'UNKNOWN') : outcome,
    segmentKeys,
    requestId: '',
  };
}

function compileChoice(choice: SegmentChoice, find: FindSegment) {
  const segments = choice.segmentKeys.map(find);
  const segmentKeys = segments.map(({ key }) => key);
  return choiceTest(
    { ...choice, segmentKeys },
    segments.map(({ matches }) => matches),
  );
}

/** The keys that match, or `undefined` if fewer match than the operator needs. */
export function choiceTest(
  { segmentKeys, segmentOperator }: SegmentChoice,
  tests: readonly Matches[],
): (entity: EvaluatedEntity) => readonly string[] | undefined {
  const needed = neededSegments(segmentOperator);
  if (needed === 'all')
    return (entity) => (tests.every((matches) => matches(entity)) ? segmentKeys : undefined);
  const least = needed === 'one' ? 1 : 0;
  return (entity) => {
    const keys = segmentKeys.filter((_key, at) => tests[at]?.(entity));
    return keys.length < least ? undefined : keys;
  };
}

function compileSegment(name: string, segment: Segment | undefined): CompiledSegment {
  if (segment === undefined) return { key: name, matches: never };
  return {
    key: segment.key,
    matches: segmentTest(segment.matchType, segment.constraints.map(compileConstraint)),
  };
}

export function segmentTest(matchType: Segment['matchType'], tests: readonly Matches[]): Matches {
  const needed = neededConstraints(matchType, tests.length);
  if (needed === undefined) return never;
  return needed === 'one'
    ? (entity) => tests.some((matches) => matches(entity))
    : (entity) => tests.every((matches) => matches(entity));
}
