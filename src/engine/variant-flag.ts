import type { ServiceReason, VariantAnswer } from '../model/answer.js';
import { sharing } from './buckets.js';
import type { Rule, Semantics, VariantFlag } from './features.js';
import { compiledEach, firstMatch, preparedFor, type Evaluate } from './first-match.js';
import { compileChoice, type FindSegment } from './segment-match.js';
import type { Steps } from './stepwise.js';

/** Prepares a variant flag. */
export function* compileVariantFlag(
  flag: VariantFlag,
  find: FindSegment,
  semantics: Semantics,
): Steps<Evaluate<VariantAnswer>> {
  const answers = variantAnswers(flag, semantics);
  if (!flag.enabled) return firstMatch([], answers.disabled());
  const rules = yield* compiledEach(flag.rules, (rule) =>
    compileRule(rule, flag.key, answers, find, semantics),
  );
  return firstMatch(rules, answers.unmatched([]));
}

function* compileRule(
  rule: Rule,
  flagKey: string,
  answers: VariantAnswers,
  find: FindSegment,
  semantics: Semantics,
): Steps<Evaluate<VariantAnswer | undefined>> {
  const { segmentKeys, matching } = yield* compileChoice(rule, find);
  const share = yield* compileShares(rule.distributions, segmentKeys, flagKey, answers, semantics);
  return (entity, read) => {
    const matched = matching(entity, read);
    return matched && share(entity, matched);
  };
}

/** What a matching rule gives to an entity. */
type Share = (entity: string, segmentKeys: readonly string[]) => VariantAnswer;

function* compileShares(
  distributions: Rule['distributions'],
  segmentKeys: readonly string[],
  flagKey: string,
  answers: VariantAnswers,
  semantics: Semantics,
): Steps<Share> {
  const shares = distributions.filter(({ rollout }) => rollout > 0);
  if (shares.length === 0) {
    const matched = preparedFor(segmentKeys, (keys) => answers.matched(keys));
    return (_entity, keys) => matched(keys);
  }
  const rollouts = shares.map(({ rollout }) => rollout);
  const position = sharing(flagKey, rollouts, semantics);
  const chosen: ((keys: readonly string[]) => VariantAnswer)[] = [];
  for (const { variantId } of shares) {
    chosen.push(preparedFor(segmentKeys, (keys) => answers.matched(keys, variantId)));
    yield;
  }
  const pastTheLast = preparedFor(segmentKeys, answers.unmatched);
  return (entity, keys) => {
    const at = position(entity);
    const answer = (at < 0 ? undefined : chosen[at]) ?? pastTheLast;
    return answer(keys);
  };
}

/** All answers that a variant flag may give. */
export interface VariantAnswers {
  readonly disabled: () => VariantAnswer;
  /** The default variant, for no matching rule, or for a rule whose distributions leave the entity out. */
  readonly unmatched: (segmentKeys: readonly string[]) => VariantAnswer;
  /** The variant with this id. Without an id, or if the flag has no such variant: the default variant. */
  readonly matched: (segmentKeys: readonly string[], variantId?: string) => VariantAnswer;
}

export function variantAnswers(
  { variants, defaultVariantId }: VariantFlag,
  semantics: Semantics,
): VariantAnswers {
  const variantOf = (id: string | undefined) => (id === undefined ? undefined : variants.get(id));
  const byDefault = variantOf(defaultVariantId);
  const noAttachment = semantics === 'v2' ? 'null' : '';
  const answer = (
    match: boolean,
    reason: ServiceReason,
    segmentKeys: readonly string[],
    variant = byDefault,
  ): VariantAnswer => ({
    kind: 'variant',
    match,
    variant: variant?.key ?? '',
    attachment: variant ? variant.attachment || noAttachment : '',
    reason,
    segmentKeys,
    requestId: '',
  });
  return {
    disabled: () => answer(false, 'FLAG_DISABLED', []),
    unmatched: (segmentKeys) => answer(false, byDefault ? 'DEFAULT' : 'UNKNOWN', segmentKeys),
    matched: (segmentKeys, variantId) => answer(true, 'MATCH', segmentKeys, variantOf(variantId)),
  };
}
