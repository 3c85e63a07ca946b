import type { VariantAnswer } from '../model/answer.js';
import { sharing } from './buckets.js';
import type { Rule, Semantics, VariantFlag } from './features.js';
import { firstMatch, preparedFor, type Evaluate } from './first-match.js';
import { compileChoice, type FindSegment } from './segment-match.js';
import { rulesInForce, sharesIn } from './parts-in-force.js';
import { absentAttachment } from './rules-of-version.js';
import { mapInSteps, stepsOfEach, type Steps } from '../time/pausable-steps.js';

/** Prepares a variant flag. */
export function* compileVariantFlag(flag: VariantFlag, find: FindSegment, semantics: Semantics) {
  const rules = yield* stepsOfEach(rulesInForce(flag), (rule) => compileRule(rule, flag, find, semantics));
  return firstMatch(rules, answerOf(flag, semantics, flag.enabled ? 'UNMATCHED' : 'FLAG_DISABLED', []));
}

function* compileRule(
  rule: Rule,
  flag: VariantFlag,
  find: FindSegment,
  semantics: Semantics,
): Steps<Evaluate<VariantAnswer | undefined>> {
  const { segmentKeys, matching } = yield* compileChoice(rule, find);
  const shares = sharesIn(rule.distributions);
  // Without shares, the first answer is always chosen: the default variant.
  const variantIds = shares.length === 0 ? [undefined] : shares.map(({ variantId }) => variantId);
  const chosen = yield* mapInSteps(variantIds, (id) =>
    preparedFor(segmentKeys, (keys) => answerOf(flag, semantics, 'MATCH', keys, id)),
  );
  const position = sharing(flag.key, shares, semantics);
  const pastTheLast = preparedFor(segmentKeys, (keys) => answerOf(flag, semantics, 'UNMATCHED', keys));
  return (entity) => {
    const keys = matching(entity);
    if (keys === undefined) return undefined;
    const at = position(entity.id);
    const answer = (at < 0 ? undefined : chosen[at]) ?? pastTheLast;
    return answer(keys);
  };
}

/** `UNMATCHED`: no rule matches, or the distributions of the one that does leave the entity out. */
type Outcome = 'FLAG_DISABLED' | 'MATCH' | 'UNMATCHED';

/** The answer of a variant flag, with the variant of this id. Without an id or such a variant: the default variant. */
function answerOf(
  { variants, defaultVariantId }: VariantFlag,
  semantics: Semantics,
  outcome: Outcome,
  segmentKeys: readonly string[],
  variantId?: string,
): VariantAnswer {
  const variantOf = (id: string | undefined) => (id === undefined ? undefined : variants.get(id));
  const byDefault = variantOf(defaultVariantId);
  const variant = variantOf(variantId) ?? byDefault;
  return {
    kind: 'variant',
    match: outcome === 'MATCH',
    variant: variant?.key ?? '',
    attachment: variant ? variant.attachment || absentAttachment(semantics) : '',
    reason: outcome === 'UNMATCHED' ? (byDefault ? 'DEFAULT' : 'UNKNOWN') : outcome,
    segmentKeys,
    requestId: '',
  };
}
