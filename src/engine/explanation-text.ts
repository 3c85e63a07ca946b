import { firstOf, quoted } from '../base/text/describe.js';
import { BUCKETS } from './buckets.js';
import { OPERATORS, OPERATORS_WITHOUT_VALUE } from './constraint-match.js';
import type { ExplainedConstraint, ExplainedSegment, ExplainedStep, Explanation } from './explanation.js';
import type { Constraint, Features, Flag, Segment, SegmentChoice, VariantFlag } from './features.js';
import { neededConstraints, neededSegments, sharesIn, variantOf } from './effective-rules.js';

/** Keys, attributes and values are quoted. */
export function explanationText(explanation: Explanation): string {
  const { namespace, flag, entity, answer, steps } = explanation;
  return [
    `Flag ${quoted(flag)} in namespace ${quoted(namespace)} for entity ${quoted(entity)}`,
    `Answer: ${answerText(answer)}`,
    `Decided by: ${decisionText(explanation)}`,
    ...steps.flatMap((step, at) => stepLines(step, at + 1)),
  ].join('\n');
}

function answerText(answer: Explanation['answer']): string {
  if (answer.kind === 'missing') return 'flag not found';
  if (answer.kind === 'unreadable')
    return `known only to Flipt, because this version of the package cannot read ${answer.reason}`;
  const given = answer.kind === 'boolean' ? `${answer.enabled}` : variantText(answer.variant || undefined);
  return `${given}, reason ${answer.reason}`;
}

function decisionText(explanation: Explanation): string {
  const { decidedBy, steps } = explanation;
  if (decidedBy.by === 'step') return stepText(decidedBy.number, steps);
  return decidedBy.by === 'none' ? noneText(explanation) : DECISIONS[decidedBy.by];
}

const DECISIONS = {
  missing: 'there is no such flag',
  unreadable: 'what cannot be read',
  disabled: 'the flag is disabled',
};

function noneText({ answer, steps }: Explanation): string {
  const kind = answer.kind === 'boolean' ? 'rollout' : 'rule';
  const none = steps.length === 0 ? `the flag has no ${kind}s` : `no ${kind} applied`;
  if (kind === 'rollout') return `${none}, so the flag's own state counts`;
  const hasDefault = answer.kind === 'variant' && answer.variant !== '';
  return `${none}, ${hasDefault ? 'so the default variant counts' : 'and there is no default variant'}`;
}

function stepText(number: number, steps: readonly ExplainedStep[]): string {
  const step = steps[number - 1];
  if (step?.kind !== 'rule') return `rollout ${number}`;
  if (step.sharing === undefined) return `rule ${number}, which distributes no variant`;
  return step.sharing.chosen === undefined
    ? `rule ${number}, whose distributions leave the entity out`
    : `rule ${number}`;
}

function stepLines(step: ExplainedStep, number: number): readonly string[] {
  const title = `${step.kind === 'rule' ? 'Rule' : 'Rollout'} ${number} ${OUTCOMES[step.outcome]}`;
  if (step.outcome === 'not-reached') return [title];
  if (step.kind === 'threshold') {
    const { percentage, percent, value } = step;
    return [`${title}: ${value} for ${percentage} % of entities, this one is at ${percent}`];
  }
  const { segments, operator, leftOut } = step;
  const lines = [
    `${title}: ${choiceText(operator, segments.length, leftOut)}`,
    ...segments.flatMap(segmentLines),
  ];
  if (step.kind !== 'rule' || step.sharing === undefined) return lines;
  const { bucket, shares, chosen } = step.sharing;
  const shareLines = shares.map(({ variant, rollout, below }, at) => {
    const mark = at === chosen ? ', chosen' : '';
    return `    ${shareText(rollout, variant)}: buckets below ${below}${mark}`;
  });
  return [...lines, `  The entity is in bucket ${bucket} of ${BUCKETS}`, ...shareLines];
}

const OUTCOMES: Readonly<Record<ExplainedStep['outcome'], string>> = {
  applied: 'applied',
  'did-not-apply': 'did not apply',
  'not-reached': 'was not reached',
};

function segmentLines({ key, matched, matchType, constraints }: ExplainedSegment): readonly string[] {
  const title = `  Segment ${quoted(key)} ${matched ? 'matches' : 'does not match'}`;
  return [
    `${title}: ${matchTypeText(matchType, constraints.length)}`,
    ...constraints.map((constraint) => `    ${constraintText(constraint)}`),
  ];
}

export function constraintText(constraint: ExplainedConstraint): string {
  const verdict = constraint.matched ? 'matches' : 'does not match';
  return `${comparisonText(constraint)}: ${verdict}, ${reasonText(constraint)}`;
}

function reasonText({ type, seen, like, why }: ExplainedConstraint): string {
  const hint = like === undefined ? '' : ` (the context has ${quoted(like)})`;
  const value = seen === undefined ? `there is no value${hint}` : `the value is ${quoted(seen)}`;
  if (why === 'unknown-operator') return 'there is no such operator';
  if (why === 'unreadable-constraint') return "the constraint's own value does not parse";
  return why === 'unreadable' ? `${value}, which is no ${TYPE_WORDS[type]}` : value;
}

/** Keys, attributes and values are quoted. */
export function flagWords(flag: Flag, { segments }: Features) {
  const stepWords = (title: string, { segmentKeys, segmentOperator, leftOut }: SegmentChoice) => ({
    text: `${title}; ${choiceText(segmentOperator, segmentKeys.length, leftOut)}`,
    segments: segmentKeys.map((key) => segmentWords(key, segments.get(key))),
  });
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const steps = flag.rollouts.map((rollout, at) => {
      const title = `Rollout ${at + 1}: ${rollout.value}`;
      if (rollout.kind === 'segment') return stepWords(title, rollout);
      return { text: `${title} for ${rollout.percentage} % of entities`, segments: [] };
    });
    return { steps, otherwise: `Otherwise: ${flag.enabled}` };
  }
  const steps = flag.rules.map((rule, at) => {
    const shares = sharesIn(rule.distributions)
      .map(({ rollout, variantId }) => shareText(rollout, flag.variants.get(variantId)?.key))
      .join(', ');
    return stepWords(`Rule ${at + 1}: ${shares || 'no variant'}`, rule);
  });
  return { steps, otherwise: otherwiseText(flag) };
}

function shareText(rollout: number, variant: string | undefined): string {
  return `${rollout} % ${variantText(variant, 'the default variant')}`;
}

function variantText(key: string | undefined, otherwise = 'no variant'): string {
  return key === undefined ? otherwise : `variant ${quoted(key)}`;
}

function otherwiseText(flag: VariantFlag): string {
  const given = variantText(variantOf(flag, flag.defaultVariantId)?.key);
  return flag.enabled ? `Otherwise: ${given}` : `The flag is disabled: no rule is evaluated, ${given}`;
}

function segmentWords(key: string, segment: Segment | undefined) {
  const { matchType, constraints = [] } = segment ?? {};
  return {
    text: `Segment ${quoted(key)}: ${matchTypeText(matchType, constraints.length)}`,
    constraints: constraints.map(comparisonText),
  };
}

const LEAVES_OUT = 'Flipt 2.11 leaves out';
const UNREAD = 'with a constraint that it cannot read';

function choiceText(
  operator: SegmentChoice['segmentOperator'],
  count: number,
  leftOut: readonly string[] = [],
): string {
  if (leftOut.length > 0) {
    const left = count === 0 ? 'no segment is left' : operatorText(operator, count);
    return `${left}; ${LEAVES_OUT} ${firstOf(leftOut)}, ${UNREAD}`;
  }
  // A snapshot of Flipt does not show why.
  return count === 0
    ? `no segment is left: ${LEAVES_OUT} a segment ${UNREAD}`
    : operatorText(operator, count);
}

function operatorText(operator: SegmentChoice['segmentOperator'], count: number): string {
  const needed = neededSegments(operator);
  if (needed === 'none') return 'its operator is unknown and asks for no segment';
  if (count === 1) return 'its segment decides';
  return `it needs ${needed} of its segments`;
}

function matchTypeText(matchType: Segment['matchType'] | undefined, count: number): string {
  if (matchType === undefined) return 'it does not exist';
  const needed = neededConstraints(matchType, count);
  if (needed === undefined) return 'its match type is unknown';
  if (needed === 'none') return 'it has no constraints';
  if (count === 1) return 'its constraint decides';
  return `it needs ${needed} of its constraints`;
}

function comparisonText({ type, property, operator, value }: Constraint): string {
  const compared =
    type === 'ENTITY_ID_COMPARISON_TYPE' ? 'the entity id' : `${TYPE_WORDS[type]} ${quoted(property)}`;
  const bound = OPERATORS_WITHOUT_VALUE.includes(operator) ? '' : ` ${quoted(value)}`;
  const name = OPERATORS[type].includes(operator) ? operator : quoted(operator);
  return `${compared} ${name}${bound}`;
}

const TYPE_WORDS: Readonly<Record<Constraint['type'], string>> = {
  STRING_COMPARISON_TYPE: 'string',
  NUMBER_COMPARISON_TYPE: 'number',
  BOOLEAN_COMPARISON_TYPE: 'boolean',
  DATETIME_COMPARISON_TYPE: 'date-time',
  ENTITY_ID_COMPARISON_TYPE: 'entity id',
};
