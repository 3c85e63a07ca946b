import type { Question } from '../model/question.js';
import type { ServiceReason, VariantAnswer } from '../model/answer.js';
import { choose } from './buckets.js';
import type { Features, Semantics, Variant, VariantFlag } from './features.js';
import { matchingSegments } from './segment-match.js';

/** The service's answer about a variant flag. */
export function evaluateVariant(
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
    const shares = rule.distributions.filter(({ rollout }) => rollout > 0);
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
