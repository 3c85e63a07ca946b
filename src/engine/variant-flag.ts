import type { ServiceReason, VariantAnswer } from '../model/answer.js';
import { sharing } from './buckets.js';
import type { Rule, Semantics, VariantFlag } from './features.js';
import { firstMatch, preparedFor, type Evaluate } from './first-match.js';
import { compileChoice, type FindSegment } from './segment-match.js';
import { rulesInForce, sharesIn } from './parts-in-force.js';
import { absentAttachment } from './rules-of-version.js';
import { mapInSteps, stepsOfEach, type Steps } from '../time/pausable-steps.js';

/** Prepares a variant flag. */
export function* compileVariantFlag(flag: VariantFlag, find: FindSegment, semantics: Semantics) {
  const answers = variantAnswers(flag, semantics);
  const rules = yield* stepsOfEach(rulesInForce(flag), (rule) => compileRule(rule, answers, find));
  return firstMatch(rules, flag.enabled ? answers.unmatched([]) : answers.disabled());
}

function* compileRule(
  rule: Rule,
  answers: VariantAnswers,
  find: FindSegment,
): Steps<Evaluate<VariantAnswer | undefined>> {
  const { segmentKeys, matching } = yield* compileChoice(rule, find);
  const shares = sharesIn(rule.distributions);
  const variantIds = shares.length === 0 ? [undefined] : shares.map(({ variantId }) => variantId);
  const chosen = yield* mapInSteps(variantIds, (id) =>
    preparedFor(segmentKeys, (keys) => answers.matched(keys, id)),
  );
  const position = answers.sharing(shares);
  const pastTheLast = preparedFor(segmentKeys, answers.unmatched);
  return (entity) => {
    const keys = matching(entity);
    if (keys === undefined) return undefined;
    const at = position(entity.id);
    const answer = (at < 0 ? undefined : chosen[at]) ?? pastTheLast;
    return answer(keys);
  };
}

type VariantAnswers = ReturnType<typeof variantAnswers>;

/** All answers that a variant flag may give. */
function variantAnswers({ key, variants, defaultVariantId }: VariantFlag, semantics: Semantics) {
  const variantOf = (id: string | undefined) => (id === undefined ? undefined : variants.get(id));
  const byDefault = variantOf(defaultVariantId);
  const answer = (
    match: boolean,
    reason: ServiceReason,
    segmentKeys: readonly string[],
    variant = byDefault,
  ): VariantAnswer => ({
    kind: 'variant',
    match,
    variant: variant?.key ?? '',
    attachment: variant ? variant.attachment || absentAttachment(semantics) : '',
    reason,
    segmentKeys,
    requestId: '',
  });
  return {
    disabled: () => answer(false, 'FLAG_DISABLED', []),
    /** The default variant, for no matching rule, or for a rule whose distributions leave the entity out. */
    unmatched: (segmentKeys: readonly string[]) =>
      answer(false, byDefault ? 'DEFAULT' : 'UNKNOWN', segmentKeys),
    /** The variant with this id. Without an id, or if the flag has no such variant: the default variant. */
    matched: (segmentKeys: readonly string[], id: string | undefined) =>
      answer(true, 'MATCH', segmentKeys, variantOf(id)),
    /** The choice among shares; without any, the first answer is always chosen. */
    sharing: (shares: Rule['distributions']) => sharing(key, shares, semantics),
  };
}
