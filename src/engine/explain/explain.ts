import type { KnownAnswer, Question } from '../../model/answer.js';
import { similarName } from '../../text/closest-name.js';
import { boundsOf, bucketOf, percentOf, positionOf, threshold } from '../buckets.js';
import type { CompiledFeatures } from '../compiled-features.js';
import { evaluate } from '../evaluate.js';
import { entityOf, type EvaluatedEntity } from '../evaluated-entity.js';
import { compileReadable, PARSE, type Matches } from '../constraint-match.js';
import type {
  Constraint,
  Features,
  Flag,
  Rollout,
  Rule,
  Segment,
  SegmentChoice,
  Semantics,
  VariantFlag,
} from '../features.js';
import { OPERATORS } from '../operators-by-type.js';
import { sharesIn } from '../parts-in-force.js';
import { choiceTest, segmentTest } from '../segment-match.js';
import { isBlankText, parsedOf, textOf, type ComparedText } from '../syntax/compared-text.js';
import type {
  ConstraintMismatch,
  ExplainedAnswer,
  ExplainedConstraint,
  ExplainedRollout,
  ExplainedRule,
  ExplainedSegment,
  ExplainedShare,
  ExplainedSharing,
  ExplainedStep,
  ExplainedThreshold,
  Explanation,
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

interface StepResult {
  readonly step: ExplainedRule | ExplainedRollout | ExplainedThreshold;
  readonly applies: boolean;
}

function explainSteps(
  flag: Flag,
  { features, semantics }: CompiledFeatures,
  entity: EvaluatedEntity,
): readonly StepResult[] {
  const explainChoice = choicesFor(entity, features);
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    return flag.rollouts.map((rollout) => explainRollout(rollout, flag.key, entity.id, explainChoice));
  }
  return flag.rules.map((rule) => {
    const { segments, applies } = explainChoice(rule);
    const sharing = applies ? explainSharing(rule, flag, semantics, entity.id) : undefined;
    const operator = rule.segmentOperator;
    return { step: { kind: 'rule', operator, segments, ...(sharing && { sharing }) }, applies };
  });
}

function explainRollout(
  rollout: Rollout,
  flagKey: string,
  entity: string,
  explainChoice: ReturnType<typeof choicesFor>,
): StepResult {
  const { value } = rollout;
  if (rollout.kind === 'threshold') {
    const { percentage } = rollout;
    const percent = percentOf(flagKey, entity);
    const applies = threshold(flagKey, percentage)(entity);
    return { step: { kind: 'threshold', value, percentage, percent }, applies };
  }
  const { segments, applies } = explainChoice(rollout);
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

/**
 * Explains choices of segments. Compares with every constraint of every segment, even after the result is certain, so that
 * the explanation shows all. Explains each segment once: its lists may be long, and many rules may name it.
 */
function choicesFor(entity: EvaluatedEntity, features: Features) {
  const known = new Map<string, ExplainedSegment>();
  const explainOnce = (name: string) => {
    const explained = known.get(name) ?? explainSegment(name, features.segments.get(name), entity);
    known.set(name, explained);
    return explained;
  };
  return ({ segmentKeys, segmentOperator }: SegmentChoice) => {
    const segments = segmentKeys.map(explainOnce);
    const matching = choiceTest(segmentKeys, segmentOperator, resultsOf(segments));
    return { segments, applies: matching(entity) !== undefined };
  };
}

/** The features may hold several segments with the same key, each under another name: people see the key. */
function explainSegment(
  name: string,
  segment: Segment | undefined,
  entity: EvaluatedEntity,
): ExplainedSegment {
  if (segment === undefined) return { key: name, matched: false, constraints: [] };
  const { key, matchType } = segment;
  const constraints = segment.constraints.map((constraint) => explainConstraint(constraint, entity));
  const matched = segmentTest(matchType, resultsOf(constraints))(entity);
  return { key, matched, matchType, constraints };
}

/** Tests that give the results of these comparisons. */
function resultsOf(compared: readonly { readonly matched: boolean }[]): readonly Matches[] {
  return compared.map((result) => () => result.matched);
}

export function explainConstraint(constraint: Constraint, entity: EvaluatedEntity): ExplainedConstraint {
  const { type, property, operator, value } = constraint;
  const { matches, isReadable } = compileReadable(constraint);
  const matched = matches(entity);
  const seen = type === 'ENTITY_ID_COMPARISON_TYPE' ? entity.idText() : entity.attribute(property);
  const like = seen === undefined ? similarName(property, entity.names()) : undefined;
  return {
    type,
    property,
    operator,
    value,
    ...(seen !== undefined && { seen: textOf(seen) }),
    ...(like !== undefined && { like }),
    matched,
    ...(!matched && { why: mismatch(constraint, isReadable, seen ?? '') }),
  };
}

/** Why a value does not match. Call it only for a value that does not. */
function mismatch(constraint: Constraint, isReadable: boolean, seen: ComparedText): ConstraintMismatch {
  const { type, operator } = constraint;
  if (!OPERATORS[type].includes(operator)) return 'unknown-operator';
  if (!isReadable) return 'unreadable-constraint';
  if (operator === 'empty' || operator === 'notpresent') return 'differs';
  // White space is a text like any other, but it does not count as present.
  const isPresence = operator === 'notempty' || operator === 'present';
  if (seen === '' || (isPresence && isBlankText(seen))) return 'missing';
  return parsedOf(seen, PARSE[type]) === undefined ? 'unreadable' : 'differs';
}
