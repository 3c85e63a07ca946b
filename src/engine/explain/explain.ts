import type { KnownAnswer, Question } from '../../model/answer.js';
import { similarName } from '../../base/text/closest-name.js';
import { boundsOf, bucketOf, percentOf, positionOf, threshold } from '../buckets.js';
import { type CompiledFeatures, evaluate } from '../compiled-features.js';
import { compileConstraint, isReadable, neededContent, OPERATORS, PARSE } from '../constraint-match.js';
import { entityOf, type EvaluatedEntity } from '../evaluated-entity.js';
import type {
  Constraint,
  FeatureLookup,
  Flag,
  Rule,
  Segment,
  SegmentChoice,
  VariantFlag,
} from '../features.js';
import { sharesIn } from '../parts-in-force.js';
import { choiceTest, segmentTest } from '../segment-match.js';
import { isBlankText, isNone, parsedOf, textOf, type ComparedText } from '../syntax/compared-text.js';
import type { ExplainedConstraint, ExplainedSegment, Explanation } from './explanation.js';

/**
 * Explains why a flag has its value for an entity: what each rule or rollout compared, and which of them decided. The
 * function `explain` is slower than `evaluate`, because it compiles and compares every constraint of the flag at each
 * call. `features` is `undefined` if the namespace does not exist. The function `explain` never throws.
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

  const results = explainSteps(flag, features, entityOf(question));
  // The first rule or rollout that applies decides the answer. If a variant flag is disabled, none of its rules is
  // evaluated.
  const isOff = 'reason' in answer && answer.reason === 'FLAG_DISABLED';
  const deciding = results.findIndex(({ applies }) => applies);
  const reached = isOff ? 0 : deciding < 0 ? results.length : deciding + 1;
  return {
    ...asked,
    answer,
    decidedBy: isOff ? { by: 'disabled' } : deciding < 0 ? { by: 'none' } : { by: 'step', number: reached },
    steps: results.map(({ applies, ...step }, at) => ({
      ...step,
      outcome: at >= reached ? 'not-reached' : applies ? 'applied' : 'did-not-apply',
    })),
  };
}

/** Returns an answer without its `requestId`, which an explanation does not show. */
export function explainedAnswer(answer: KnownAnswer): Explanation['answer'] {
  if (answer.kind === 'missing') return answer;
  if (answer.kind === 'boolean') {
    const { kind, enabled, reason, segmentKeys = [] } = answer;
    return { kind, enabled, reason, segmentKeys };
  }
  const { kind, match, variant, attachment, reason, segmentKeys } = answer;
  return { kind, match, variant, attachment, reason, segmentKeys };
}

/** Explains each rule or rollout of a flag, and finds out whether the rule or rollout would apply. */
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
    const applies = threshold(flag.key, percentage)(entity.id);
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

/**
 * Returns a function that explains the segments of a rule or rollout. The returned function tests every constraint of
 * every segment, even if the result is already certain, so that the explanation shows the results of all constraints.
 * The returned function explains each segment only once, because many rules can name the same segment.
 */
function choicesFor(entity: EvaluatedEntity, features: FeatureLookup) {
  const bySegment = new Map<string, ExplainedSegment>();
  const explainOnce = (name: string) => {
    const explained = bySegment.get(name) ?? explainSegment(name, features.segments.get(name), entity);
    bySegment.set(name, explained);
    return explained;
  };
  return (choice: SegmentChoice) => {
    const segments = choice.segmentKeys.map(explainOnce);
    const matching = choiceTest(choice, resultsOf(segments));
    return { operator: choice.segmentOperator, segments, applies: matching(entity) !== undefined };
  };
}

/**
 * Explains a segment. The explanation shows the segment's own key. The name under which the features hold a segment can
 * differ from the segment's key, because a snapshot can contain several segments with the same key.
 */
function explainSegment(name: string, segment: Segment | undefined, entity: EvaluatedEntity) {
  if (segment === undefined) return { key: name, matched: false, constraints: [] };
  const { key, matchType } = segment;
  const constraints = segment.constraints.map((constraint) => explainConstraint(constraint, entity));
  const matched = segmentTest(matchType, resultsOf(constraints))(entity);
  return { key, matched, matchType, constraints };
}

/** Turns known results into tests, because `segmentTest` and `choiceTest` expect tests. */
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
    ...(seen !== undefined && { seen: textOf(seen) }),
    ...(like !== undefined && { like }),
    matched,
    ...(!matched && { why: mismatch(constraint, seen ?? '') }),
  };
}

/** Returns why a value does not match a constraint. Call `mismatch` only for a value that does not match. */
function mismatch(constraint: Constraint, seen: ComparedText) {
  const { type, operator } = constraint;
  if (!OPERATORS[type].includes(operator)) return 'unknown-operator';
  if (!isReadable(constraint)) return 'unreadable-constraint';
  const needed = neededContent(operator);
  if (needed === 'blank') return 'differs';
  // For `present` and `notempty`, a value of white space counts as missing. For operators that compare values, such as
  // `eq`, white space is a value like any other.
  if (isNone(seen) || (needed === 'filled' && isBlankText(seen))) return 'missing';
  return parsedOf(seen, PARSE[type]) === undefined ? 'unreadable' : 'differs';
}
