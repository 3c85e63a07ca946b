import { crc32 } from 'node:zlib';
import type {
  BooleanFlag,
  Distribution,
  Features,
  Rollout,
  Segment,
  SegmentChoice,
  Semantics,
  Variant,
  VariantFlag,
} from '../../src/engine/features.js';
import type {
  BooleanAnswer,
  KnownAnswer,
  ServiceReason,
  VariantAnswer,
  Question,
} from '../../src/model/answer.js';
import { fulfils } from './plain-constraints.fixture.js';

/**
 * Follows the rules of evaluation step by step: nothing is prepared, and everything is parsed when it is compared. That
 * is slow, but easy to check against the service's rules. The compiled engine must answer every question in the same
 * way.
 */
export function plainlyEvaluate(
  features: Features | undefined,
  question: Question,
  semantics: Semantics,
): KnownAnswer {
  const flag = features?.flags.get(question.flag);
  if (!features || !flag) return { kind: 'missing' };
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? evaluateBoolean(flag, features, question)
    : evaluateVariant(flag, features, question, semantics);
}

/** Returns the service's answer about a boolean flag. Its rollouts apply even while the flag is not enabled. */
function evaluateBoolean(flag: BooleanFlag, features: Features, question: Question): BooleanAnswer {
  for (const rollout of flag.rollouts) {
    const matching = applies(rollout, flag, features, question);
    if (matching) return answer(rollout.value, 'MATCH', matching);
  }
  return answer(flag.enabled, 'DEFAULT', []);
}

/**
 * Returns the segments by which a rollout applies. There are none for a threshold; `undefined` means that the rollout
 * does not apply.
 */
function applies(
  rollout: Rollout,
  flag: BooleanFlag,
  features: Features,
  question: Question,
): readonly string[] | undefined {
  if (rollout.kind === 'segment') return matchingSegments(rollout, features, question);
  return underThreshold(rollout.percentage, flag.key, question.entity) ? [] : undefined;
}

function answer(enabled: boolean, reason: ServiceReason, segmentKeys: readonly string[]): BooleanAnswer {
  return { kind: 'boolean', enabled, reason, segmentKeys, requestId: '' };
}

/** Returns the service's answer about a variant flag. */
function evaluateVariant(
  flag: VariantFlag,
  features: Features,
  question: Question,
  semantics: Semantics,
): VariantAnswer {
  const byDefault = variantOf(flag, flag.defaultVariantId);
  const answer = (
    match: boolean,
    reason: ServiceReason,
    segmentKeys: readonly string[],
    variant = byDefault,
  ): VariantAnswer => ({
    kind: 'variant',
    match,
    variant: variant?.key ?? '',
    attachment: variant ? attachmentOf(variant, semantics) : '',
    reason,
    segmentKeys,
    requestId: '',
  });
  const unmatched: ServiceReason = byDefault ? 'DEFAULT' : 'UNKNOWN';

  if (!flag.enabled) return answer(false, 'FLAG_DISABLED', []);
  for (const rule of flag.rules) {
    const matching = matchingSegments(rule, features, question);
    if (!matching) continue;
    const shares = rule.distributions.filter(({ rollout }) => Math.fround(rollout) > 0);
    if (shares.length === 0) return answer(true, 'MATCH', matching);
    const chosen = choose(shares, flag.key, question.entity, semantics);
    if (!chosen) return answer(false, unmatched, matching);
    return answer(true, 'MATCH', matching, variantOf(flag, chosen.variantId));
  }
  return answer(false, unmatched, []);
}

function variantOf(flag: VariantFlag, id: string | undefined): Variant | undefined {
  return id === undefined ? undefined : flag.variants.get(id);
}

function attachmentOf({ attachment }: Variant, semantics: Semantics): string {
  return attachment === '' && semantics === 'v2' ? 'null' : attachment;
}

/** Returns the chosen segments that match the question; `undefined` if too few match for the operator. */
function matchingSegments(
  { segmentKeys, segmentOperator }: SegmentChoice,
  { segments }: Features,
  question: Question,
): readonly string[] | undefined {
  const matching = segmentKeys.filter((key) => {
    const segment = segments.get(key);
    return segment !== undefined && matchesSegment(segment, question);
  });
  if (segmentOperator === 'OR_SEGMENT_OPERATOR' && matching.length === 0) return undefined;
  if (segmentOperator === 'AND_SEGMENT_OPERATOR' && matching.length < segmentKeys.length) return undefined;
  // By the service's rule, no segment has to match if the operator has no name.
  return matching;
}

function matchesSegment({ matchType, constraints }: Segment, question: Question): boolean {
  if (matchType === 'ALL_MATCH_TYPE') return constraints.every((constraint) => fulfils(question, constraint));
  if (matchType !== 'ANY_MATCH_TYPE') return false;
  return constraints.length === 0 || constraints.some((constraint) => fulfils(question, constraint));
}

const BUCKETS = 1000;

/**
 * Returns the distribution that an entity falls to; `undefined` past the last share, which only v1 leaves open.
 * `shares` have rollouts above 0.
 */
function choose(
  shares: readonly Distribution[],
  flagKey: string,
  entity: string,
  semantics: Semantics,
): Distribution | undefined {
  const bucket = crc32(flagKey + entity) % BUCKETS;
  const bounds = semantics === 'v1' ? absoluteBounds(shares) : relativeBounds(shares);
  return shares[bounds.findIndex((bound) => bound > bucket)];
}

/**
 * Whether an entity is under a threshold in percent. For a threshold, the service joins the keys in the other order.
 */
function underThreshold(percentage: number, flagKey: string, entity: string): boolean {
  return crc32(entity + flagKey) % 100 < Math.fround(percentage);
}

// The service computes both kinds of bounds in single precision. Rounding can move a bound, so this does the same.

function absoluteBounds(shares: readonly Distribution[]): number[] {
  let bound = 0;
  return shares.map(({ rollout }) => (bound += Math.trunc(Math.fround(Math.fround(rollout) * 10))));
}

function relativeBounds(shares: readonly Distribution[]): number[] {
  const total = shares.reduce((sum, { rollout }) => Math.fround(sum + Math.fround(rollout)), 0);
  let percent = 0;
  const bounds = shares.map(({ rollout }) => {
    const share = Math.fround(Math.fround(Math.fround(rollout) / total) * 100);
    percent = Math.fround(percent + share);
    return Math.trunc(Math.fround(percent * 10));
  });
  return bounds.with(-1, BUCKETS);
}
