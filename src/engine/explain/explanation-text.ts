import { quoted } from '../../text/describe.js';
import { BUCKETS } from '../buckets.js';
import type {
  ExplainedAnswer,
  ExplainedConstraint,
  ExplainedSegment,
  ExplainedSharing,
  ExplainedStep,
  ExplainedThreshold,
  Explanation,
  StepOutcome,
} from './explanation.js';
import {
  comparisonText,
  matchTypeText,
  operatorText,
  shareText,
  TYPE_WORDS,
  variantText,
} from './flag-words.js';

/** An explanation as plain text, one line for each comparison. Text from outside is quoted. */
export function explanationText(explanation: Explanation): string {
  const { namespace, flag, entity, answer, steps } = explanation;
  return [
    `Flag ${quoted(flag)} in namespace ${quoted(namespace)} for entity ${quoted(entity)}`,
    `Answer: ${answerText(answer)}`,
    `Decided by: ${decisionText(explanation)}`,
    ...steps.flatMap((step, at) => stepLines(step, at + 1)),
  ].join('\n');
}

function answerText(answer: ExplainedAnswer): string {
  switch (answer.kind) {
    case 'missing':
      return 'flag not found';
    case 'unreadable':
      return `known only to Flipt, because this version of the package cannot read ${answer.reason}`;
    case 'boolean':
      return `${answer.enabled}, reason ${answer.reason}`;
    case 'variant':
      return `${variantText(answer.variant || undefined)}, reason ${answer.reason}`;
  }
}

function decisionText({ decidedBy, answer, steps }: Explanation): string {
  switch (decidedBy.by) {
    case 'missing':
      return 'there is no such flag';
    case 'unreadable':
      return 'what cannot be read';
    case 'disabled':
      return 'the flag is disabled';
    case 'none':
      return noneText(answer, steps);
    case 'step':
      return stepText(decidedBy.number, steps);
  }
}

function noneText(answer: ExplainedAnswer, steps: readonly ExplainedStep[]): string {
  const none = (kind: string) => (steps.length === 0 ? `the flag has no ${kind}s` : `no ${kind} applied`);
  if (answer.kind === 'boolean') return `${none('rollout')}, so the flag's own state counts`;
  const hasDefault = answer.kind === 'variant' && answer.variant !== '';
  return hasDefault
    ? `${none('rule')}, so the default variant counts`
    : `${none('rule')}, and there is no default variant`;
}

function stepText(number: number, steps: readonly ExplainedStep[]): string {
  const step = steps[number - 1];
  if (step?.kind !== 'rule') return `rollout ${number}`;
  if (step.sharing === undefined) return `rule ${number}, which distributes no variant`;
  return step.sharing.chosen === undefined
    ? `rule ${number}, whose distributions leave the entity out`
    : `rule ${number}`;
}

/** A rule or rollout; below it, its segments; below each segment, its constraints. */
function stepLines(step: ExplainedStep, number: number): readonly string[] {
  const title = `${step.kind === 'rule' ? 'Rule' : 'Rollout'} ${number} ${OUTCOMES[step.outcome]}`;
  if (step.outcome === 'not-reached') return [title];
  if (step.kind === 'threshold') return [`${title}: ${thresholdText(step)}`];
  const { segments, operator } = step;
  return [
    `${title}: ${operatorText(operator, segments.length)}`,
    ...segments.flatMap(segmentLines),
    ...(step.kind === 'rule' && step.sharing ? sharingLines(step.sharing) : []),
  ];
}

const OUTCOMES: Readonly<Record<StepOutcome, string>> = {
  applied: 'applied',
  'did-not-apply': 'did not apply',
  'not-reached': 'was not reached',
};

function thresholdText({ percentage, percent, value }: ExplainedThreshold): string {
  return `${value} for ${percentage} % of entities, this one is at ${percent}`;
}

function segmentLines({ key, matched, matchType, constraints }: ExplainedSegment): readonly string[] {
  const title = `  Segment ${quoted(key)} ${matched ? 'matches' : 'does not match'}`;
  return [
    `${title}: ${matchTypeText(matchType, constraints.length)}`,
    ...constraints.map((constraint) => `    ${constraintText(constraint)}`),
  ];
}

function sharingLines({ bucket, shares, chosen }: ExplainedSharing): readonly string[] {
  const lines = shares.map(
    ({ variant, rollout, below }, at) =>
      `    ${shareText(rollout, variant)}: buckets below ${below}${at === chosen ? ', chosen' : ''}`,
  );
  return [`  The entity is in bucket ${bucket} of ${BUCKETS}`, ...lines];
}

/** One constraint, the value that it saw, and whether it matched. */
export function constraintText(constraint: ExplainedConstraint): string {
  const verdict = constraint.matched ? 'matches' : 'does not match';
  return `${comparisonText(constraint)}: ${verdict}, ${reasonText(constraint)}`;
}

function reasonText({ type, seen, like, why }: ExplainedConstraint): string {
  const meant = like === undefined ? '' : ` (the context has ${quoted(like)})`;
  const value = seen === undefined ? `there is no value${meant}` : `the value is ${quoted(seen)}`;
  if (why === 'unknown-operator') return 'there is no such operator';
  if (why === 'unreadable-constraint') return "the constraint's own value does not parse";
  return why === 'unreadable' ? `${value}, which is no ${TYPE_WORDS[type]}` : value;
}
