import { similarName } from '../base/text/closest-name.js';
import type { KnownAnswer, Question } from '../model/answer.js';
import {
  boundsOf,
  bucketOf,
  isUndivided,
  isUnderThreshold,
  percentOf,
  positionOf,
  underThreshold,
} from './buckets.js';
import { choiceTest, evaluate, segmentTest, type CompiledFeatures } from './compile.js';
import { compileConstraint, isReadable, neededContent, OPERATORS, PARSE } from './constraint-match.js';
import { entityOf, type ComparedText, type EvaluatedEntity } from './entity.js';
import type { ExplainedConstraint, ExplainedSegment, Explanation } from './explanation.js';
import type {
  Constraint,
  FeatureLookup,
  Flag,
  Rule,
  Segment,
  SegmentChoice,
  VariantFlag,
} from './features.js';
import { sharesIn } from './effective-rules.js';

/**
 * Slower than `evaluate`: it compiles and compares every constraint of the flag. `features` is `undefined` without
 * the namespace. Never throws.
 */
export function explain(features: CompiledFeatures | undefined, question: Question): Explanation {
  const { namespace, flag: key, entity } = question;
  const asked = { namespace, flag: key, entity };
  const unreadable = features?.features.unreadable?.get(key);
  if (unreadable !== undefined) {
    const answer = { kind: 'unreadable', reason: unreadable.reason } as const;
    return { ...asked, answer, decidedBy: { by: 'unreadable' }, steps: [] };
  }
  const answer = explainedAnswer(evaluate(features, question));
  const flag = features?.features.flags.get(key);
  if (features === undefined || flag === undefined)
    return { ...asked, answer, decidedBy: { by: 'missing' }, steps: [] };
  return { ...asked, answer, ...decision(flag, features, entityOf(question)) };
}

/** A percentage gave the answer, or excluded the entity before. Throws if reading an attribute throws. */
export function isBucketDecisive(features: CompiledFeatures, key: string, entity: EvaluatedEntity): boolean {
  const flag = features.features.flags.get(key);
  if (flag === undefined) return false;
  return decision(flag, features, entity).steps.some((step) => {
    if (step.outcome === 'not-reached' || step.kind === 'rollout') return false;
    if (step.kind === 'threshold') return underThreshold(step.percentage) === 'some';
    return !isUndivided(step.sharing?.shares.map(({ below }) => below) ?? []);
  });
}

/** Without the `requestId`. */
export function explainedAnswer(answer: KnownAnswer): Explanation['answer'] {
  if (answer.kind === 'missing') return answer;
  if (answer.kind === 'boolean') {
    const { kind, enabled, reason, segmentKeys = [] } = answer;
    return { kind, enabled, reason, segmentKeys };
  }
  const { kind, match, variant, attachment, reason, segmentKeys } = answer;
  return { kind, match, variant, attachment, reason, segmentKeys };
}

function decision(
  flag: Flag,
  features: CompiledFeatures,
  entity: EvaluatedEntity,
): Pick<Explanation, 'decidedBy' | 'steps'> {
  const results = explainSteps(flag, features, entity);
  const isOff = flag.type === 'VARIANT_FLAG_TYPE' && !flag.enabled;
  const deciding = results.findIndex(({ applies }) => applies);
  const reached = isOff ? 0 : deciding < 0 ? results.length : deciding + 1;
  return {
    decidedBy: isOff ? { by: 'disabled' } : deciding < 0 ? { by: 'none' } : { by: 'step', number: reached },
    steps: results.map(({ applies, ...step }, at) => ({
      ...step,
      outcome: at >= reached ? 'not-reached' : applies ? 'applied' : 'did-not-apply',
    })),
  };
}

function explainSteps(flag: Flag, compiled: CompiledFeatures, entity: EvaluatedEntity) {
  const explainChoice = choicesFor(entity, compiled.features);
  if (flag.type === 'VARIANT_FLAG_TYPE') {
    return flag.rules.map((rule) => {
      const choice = explainChoice(rule);
      const sharing = choice.applies ? explainSharing(rule, flag, compiled, entity.id) : undefined;
      return { kind: 'rule' as const, ...choice, ...(sharing && { sharing }) };
    });
  }
  return flag.rollouts.map((rollout) => {
    const { value } = rollout;
    if (rollout.kind === 'segment') return { kind: 'rollout' as const, value, ...explainChoice(rollout) };
    const { percentage } = rollout;
    const percent = percentOf(flag.key, entity.id);
    const applies = isUnderThreshold(flag.key, entity.id, percentage);
    return { kind: 'threshold' as const, value, percentage, percent, applies };
  });
}

function explainSharing(rule: Rule, flag: VariantFlag, { semantics }: CompiledFeatures, entity: string) {
  const shares = sharesIn(rule.distributions);
  if (shares.length === 0) return undefined;
  const bounds = boundsOf(shares, semantics);
  const bucket = bucketOf(flag.key, entity);
  const chosen = positionOf(bucket, bounds);
  const explained = shares.map(({ variantId, rollout }, at) => {
    const variant = flag.variants.get(variantId)?.key;
    return { ...(variant !== undefined && { variant }), rollout, below: bounds[at] ?? 0 };
  });
  return { bucket, shares: explained, ...(chosen >= 0 && { chosen }) };
}

/** Every constraint is tested, also where the result is certain, and each segment once for all rules. */
function choicesFor(entity: EvaluatedEntity, features: FeatureLookup) {
  const explained = new Map<string, ExplainedSegment>();
  const explainOnce = (name: string) => {
    const segment = explained.get(name) ?? explainSegment(name, features.segments.get(name), entity);
    explained.set(name, segment);
    return segment;
  };
  return (choice: SegmentChoice) => {
    const segments = choice.segmentKeys.map(explainOnce);
    const matching = choiceTest(choice, resultsOf(segments));
    const { segmentOperator: operator, leftOut } = choice;
    return { operator, segments, ...(leftOut && { leftOut }), applies: matching(entity) !== undefined };
  };
}

function explainSegment(name: string, segment: Segment | undefined, entity: EvaluatedEntity) {
  if (segment === undefined) return { key: name, matched: false, constraints: [] };
  const { key, matchType } = segment;
  const constraints = segment.constraints.map((constraint) => explainConstraint(constraint, entity));
  const matched = segmentTest(matchType, resultsOf(constraints))(entity);
  return { key, matched, matchType, constraints };
}

function resultsOf(compared: readonly { readonly matched: boolean }[]) {
  return compared.map((result) => () => result.matched);
}

export function explainConstraint(constraint: Constraint, entity: EvaluatedEntity): ExplainedConstraint {
  const { type, property, operator, value } = constraint;
  const matched = compileConstraint(constraint)(entity);
  const seen = type === 'ENTITY_ID_COMPARISON_TYPE' ? entity.idText() : entity.attribute(property);
  const like = seen === undefined ? similarName(property, entity.names()) : undefined;
  return {
    type,
    property,
    operator,
    value,
    ...(seen !== undefined && { seen: seen.text }),
    ...(like !== undefined && { like }),
    matched,
    ...(!matched && { why: mismatch(constraint, seen) }),
  };
}

function mismatch(constraint: Constraint, seen: ComparedText | undefined) {
  const { type, operator } = constraint;
  if (!OPERATORS[type].includes(operator)) return 'unknown-operator';
  if (!isReadable(constraint)) return 'unreadable-constraint';
  const needed = neededContent(operator);
  if (needed === 'blank') return 'differs';
  // White space is missing for `present` and `notempty`, and a value for `eq`.
  if (seen === undefined || seen.text === '' || (needed === 'filled' && seen.trimmed() === ''))
    return 'missing';
  return seen.parsed(PARSE[type]) === undefined ? 'unreadable' : 'differs';
}
