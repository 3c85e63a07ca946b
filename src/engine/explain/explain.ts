import type { KnownAnswer, Question } from '../../model/answer.js';
import { boundsOf, bucketOf, percentOf, positionOf, threshold } from '../buckets.js';
import type { CompiledFeatures } from '../compiled-features.js';
import { evaluate } from '../evaluate.js';
import { entityOf, type EvaluatedEntity } from '../evaluated-entity.js';
import type { Flag, Rollout, Rule, Semantics, VariantFlag } from '../features.js';
import { sharesIn } from '../parts-in-force.js';
import { explainChoice, explainedSegments } from './explain-segments.js';
import type {
  ExplainedAnswer,
  ExplainedShare,
  ExplainedSharing,
  ExplainedStep,
  Explanation,
  StepDetails,
} from './explanation.js';

/**
 * Explains the answer to a question: each rule or rollout, what it compared, and what decided. It goes through the flag
 * step by step and parses everything again, so it is for tools; use `evaluate` for answers. If `features` is
 * `undefined`, the namespace does not exist. Never throws.
 */
export function explain(features: CompiledFeatures | undefined, question: Question): Explanation {
  const { namespace, flag, entity } = question;
  const unreadable = features?.features.unreadable?.get(flag);
  if (unreadable !== undefined) {
    const answer = { kind: 'unreadable', reason: unreadable.reason } as const;
    return { namespace, flag, entity, answer, decidedBy: { by: 'unreadable' }, steps: [] };
  }
  const answer = explainedAnswer(evaluate(features, question));
  const isOff = 'reason' in answer && answer.reason === 'FLAG_DISABLED';
  return { namespace, flag, entity, answer, ...decision(features, question, isOff) };
}

/** Leaves out what only an answer over HTTP has. */
export function explainedAnswer(answer: KnownAnswer): ExplainedAnswer {
  if (answer.kind === 'missing') return answer;
  if (answer.kind === 'boolean') {
    const { kind, enabled, reason, segmentKeys = [] } = answer;
    return { kind, enabled, reason, segmentKeys };
  }
  const { kind, match, variant, attachment, reason, segmentKeys } = answer;
  return { kind, match, variant, attachment, reason, segmentKeys };
}

/** The first step that applies decides. No step does if evaluation reached none because the flag `isOff`. */
function decision(
  compiled: CompiledFeatures | undefined,
  question: Question,
  isOff: boolean,
): Pick<Explanation, 'decidedBy' | 'steps'> {
  const flag = compiled?.features.flags.get(question.flag);
  if (compiled === undefined || flag === undefined) return { decidedBy: { by: 'missing' }, steps: [] };
  const results = explainSteps(flag, compiled, entityOf(question));
  const deciding = results.findIndex(({ applies }) => applies);
  const reached = isOff ? 0 : deciding < 0 ? results.length : deciding + 1;
  const steps = results.map(({ step, applies }, at): ExplainedStep => {
    if (at >= reached) return { ...step, outcome: 'not-reached' };
    return { ...step, outcome: applies ? 'applied' : 'did-not-apply' };
  });
  if (isOff) return { decidedBy: { by: 'disabled' }, steps };
  return { decidedBy: deciding < 0 ? { by: 'none' } : { by: 'step', number: reached }, steps };
}

type SegmentOf = ReturnType<typeof explainedSegments>;

interface StepResult {
  readonly step: StepDetails;
  readonly applies: boolean;
}

function explainSteps(
  flag: Flag,
  { features, semantics }: CompiledFeatures,
  entity: EvaluatedEntity,
): readonly StepResult[] {
  const segmentOf = explainedSegments(features, entity);
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    return flag.rollouts.map((rollout) => explainRollout(rollout, flag.key, segmentOf, entity));
  }
  return flag.rules.map((rule) => {
    const { segments, applies } = explainChoice(rule, segmentOf, entity);
    const sharing = applies ? explainSharing(rule, flag, semantics, entity.id) : undefined;
    const operator = rule.segmentOperator;
    return { step: { kind: 'rule', operator, segments, ...(sharing && { sharing }) }, applies };
  });
}

function explainRollout(
  rollout: Rollout,
  flagKey: string,
  segmentOf: SegmentOf,
  entity: EvaluatedEntity,
): StepResult {
  const { value } = rollout;
  if (rollout.kind === 'threshold') {
    const { percentage } = rollout;
    const percent = percentOf(flagKey, entity.id);
    const applies = threshold(flagKey, percentage)(entity.id);
    return { step: { kind: 'threshold', value, percentage, percent }, applies };
  }
  const { segments, applies } = explainChoice(rollout, segmentOf, entity);
  return { step: { kind: 'rollout', value, operator: rollout.segmentOperator, segments }, applies };
}

function explainSharing(
  { distributions }: Rule,
  { key, variants }: VariantFlag,
  semantics: Semantics,
  entity: string,
): ExplainedSharing | undefined {
  const shares = sharesIn(distributions);
  if (shares.length === 0) return undefined;
  const bounds = boundsOf(shares, semantics);
  const bucket = bucketOf(key, entity);
  const chosen = positionOf(bucket, bounds);
  const explained = shares.map(({ variantId, rollout }, at): ExplainedShare => {
    const variant = variants.get(variantId)?.key;
    return { ...(variant !== undefined && { variant }), rollout, below: bounds[at] ?? 0 };
  });
  return { bucket, shares: explained, ...(chosen >= 0 && { chosen }) };
}
