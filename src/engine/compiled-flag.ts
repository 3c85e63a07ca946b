import type { BooleanAnswer, ServiceReason, ValueAnswer, VariantAnswer } from '../model/answer.js';
import { sharing, threshold } from './buckets.js';
import type { EvaluatedEntity } from './evaluated-entity.js';
import type { Flag, Rollout, Rule, Semantics, VariantFlag } from './features.js';
import { rulesInForce, sharesIn, variantOf } from './parts-in-force.js';
import { writtenAttachment } from './version-differences.js';
import { compileChoice, type FindSegment } from './segment-match.js';

/** Evaluates one flag for an entity. An evaluation throws only if reading the entity's attributes throws. */
export type Evaluate<Answer = ValueAnswer> = (entity: EvaluatedEntity) => Answer;

/** Prepares a flag for evaluation. As in Flipt, the rollouts of a boolean flag apply even if `enabled` is `false`. */
export function compileFlag(flag: Flag, find: FindSegment, semantics: Semantics): Evaluate {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const { key, enabled, rollouts } = flag;
    const compiled = rollouts.map((rollout) => compileRollout(rollout, key, find));
    return firstMatch(compiled, booleanAnswer(enabled, 'DEFAULT', []));
  }
  const rules = rulesInForce(flag).map((rule) => compileRule(rule, flag, find, semantics));
  return firstMatch(rules, answerOf(flag, semantics, flag.enabled ? 'UNMATCHED' : 'FLAG_DISABLED', []));
}

type EvaluateRollout = Evaluate<BooleanAnswer | undefined>;

function compileRollout(rollout: Rollout, flagKey: string, find: FindSegment): EvaluateRollout {
  if (rollout.kind === 'threshold') {
    const isUnder = threshold(flagKey, rollout.percentage);
    const split = booleanAnswer(rollout.value, 'MATCH', []);
    return ({ id }) => (isUnder(id) ? split : undefined);
  }
  const { segmentKeys, matching } = compileChoice(rollout, find);
  const answer = preparedFor(segmentKeys, (keys) => booleanAnswer(rollout.value, 'MATCH', keys));
  return (entity) => {
    const matched = matching(entity);
    return matched && answer(matched);
  };
}

type Keys = readonly string[];

function booleanAnswer(enabled: boolean, reason: ServiceReason, segmentKeys: Keys): BooleanAnswer {
  return { kind: 'boolean', enabled, reason, segmentKeys, requestId: '' };
}

function compileRule(rule: Rule, flag: VariantFlag, find: FindSegment, semantics: Semantics) {
  const { segmentKeys, matching } = compileChoice(rule, find);
  const shares = sharesIn(rule.distributions);
  // If a rule has no shares, `sharing` always chooses position 0. For a rule without shares, position 0 has no variant
  // id, so that the entity gets the flag's default variant, if there is one.
  const variantIds = shares.length === 0 ? [undefined] : shares.map(({ variantId }) => variantId);
  const chosen = variantIds.map((id) =>
    preparedFor(segmentKeys, (keys) => answerOf(flag, semantics, 'MATCH', keys, id)),
  );
  const position = sharing(flag.key, shares, semantics);
  const pastTheLast = preparedFor(segmentKeys, (keys) => answerOf(flag, semantics, 'UNMATCHED', keys));
  return (entity: EvaluatedEntity) => {
    const keys = matching(entity);
    if (keys === undefined) return undefined;
    const at = position(entity.id);
    const answer = (at < 0 ? undefined : chosen[at]) ?? pastTheLast;
    return answer(keys);
  };
}

/**
 * The outcome of an evaluation of a variant flag. `UNMATCHED` means that no rule matches, or that the distributions of
 * the matching rule leave the entity out.
 */
type Outcome = 'FLAG_DISABLED' | 'MATCH' | 'UNMATCHED';

/**
 * Returns a variant flag's answer with the variant that has the id `variantId`. If `variantId` is missing, or if no
 * variant has this id, the answer has the flag's default variant, if there is one.
 */
function answerOf(
  flag: VariantFlag,
  semantics: Semantics,
  outcome: Outcome,
  segmentKeys: Keys,
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

/**
 * Returns a function that tries rules or rollouts in their order and returns the first answer. The function returns
 * `otherwise` if no rule or rollout gives an answer.
 */
function firstMatch<Answer>(rules: readonly Evaluate<Answer | undefined>[], otherwise: Answer) {
  return (entity: EvaluatedEntity) => {
    for (const rule of rules) {
      const answer = rule(entity);
      if (answer !== undefined) return answer;
    }
    return otherwise;
  };
}

/**
 * Returns a function that gives the answer for a list of segment keys. `preparedFor` makes the answer for the list
 * `segmentKeys` in advance, because most answers name all segments of the rule or rollout. For any other list, the
 * returned function makes a new answer at each call.
 */
function preparedFor<Answer>(segmentKeys: Keys, answer: (segmentKeys: Keys) => Answer) {
  const prepared = answer(segmentKeys);
  return (matching: Keys) => (matching === segmentKeys ? prepared : answer(matching));
}
