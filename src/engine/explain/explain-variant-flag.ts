import type { VariantAnswer } from '../../model/answer.js';
import { boundsOf, bucketOf } from '../buckets.js';
import type { Distribution, Features, Rule, Semantics, VariantFlag } from '../features.js';
import { variantAnswers } from '../variant-flag.js';
import { explainChoice, type EvaluatedEntity } from './explain-segments.js';
import { firstToApply, unreached, type StepResult } from './explain-steps.js';
import type { ExplainedShare, FlagExplanation, ExplainedSharing } from './explanation.js';

export function explainVariantFlag(
  flag: VariantFlag,
  features: Features,
  semantics: Semantics,
  asked: EvaluatedEntity,
): FlagExplanation {
  const answers = variantAnswers(flag, semantics);
  const results = flag.rules.map((rule) => explainRule(rule, flag, features, semantics, asked));
  if (flag.enabled) return firstToApply(results, answers.unmatched([]));
  return { answer: answers.disabled(), decidedBy: { by: 'disabled' }, steps: unreached(results) };
}

function explainRule(
  rule: Rule,
  flag: VariantFlag,
  features: Features,
  semantics: Semantics,
  asked: EvaluatedEntity,
): StepResult {
  const { segments, matching } = explainChoice(rule, features, asked);
  const step = { kind: 'rule', operator: rule.segmentOperator, segments } as const;
  if (matching === undefined) return { step, answer: undefined };
  const answers = variantAnswers(flag, semantics);
  const shares = rule.distributions.filter(({ rollout }) => rollout > 0);
  if (shares.length === 0) return { step, answer: answers.matched(matching) };
  const sharing = explainShares(shares, flag, semantics, asked.entity);
  const answer: VariantAnswer =
    sharing.chosen === undefined
      ? answers.unmatched(matching)
      : answers.matched(matching, shares[sharing.chosen]?.variantId);
  return { step: { ...step, sharing }, answer };
}

function explainShares(
  shares: readonly Distribution[],
  { key, variants }: VariantFlag,
  semantics: Semantics,
  entity: string,
): ExplainedSharing {
  const rollouts = shares.map(({ rollout }) => rollout);
  const bounds = boundsOf(rollouts, semantics);
  const bucket = bucketOf(key, entity);
  const chosen = bounds.findIndex((bound) => bound > bucket);
  const explained = shares.map(({ variantId, rollout }, at): ExplainedShare => {
    const variant = variants.get(variantId)?.key;
    return { ...(variant !== undefined && { variant }), rollout, below: bounds[at] ?? 0 };
  });
  return { bucket, shares: explained, ...(chosen >= 0 && { chosen }) };
}
