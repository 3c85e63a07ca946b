import { quoted } from '../../base/text/describe.js';
import { BUCKETS } from '../buckets.js';
import type { ExplainedConstraint, ExplainedSegment, ExplainedStep, Explanation } from './explanation.js';
import * as words from './flag-words.js';

/**
 * Returns an explanation as plain text. Each rule, rollout, segment and constraint that was evaluated has a line of its
 * own. Keys, the names of attributes and the compared values are quoted.
 */
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
  const given =
    answer.kind === 'boolean' ? `${answer.enabled}` : words.variantText(answer.variant || undefined);
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

/**
 * Returns the lines about a rule or rollout, with its segments and their constraints. For a rule or rollout that was
 * not reached, the result has only one line.
 */
function stepLines(step: ExplainedStep, number: number): readonly string[] {
  const title = `${step.kind === 'rule' ? 'Rule' : 'Rollout'} ${number} ${OUTCOMES[step.outcome]}`;
  if (step.outcome === 'not-reached') return [title];
  if (step.kind === 'threshold') {
    const { percentage, percent, value } = step;
    return [`${title}: ${value} for ${percentage} % of entities, this one is at ${percent}`];
  }
  const { segments, operator } = step;
  const lines = [
    `${title}: ${words.operatorText(operator, segments.length)}`,
    ...segments.flatMap(segmentLines),
  ];
  if (step.kind !== 'rule' || step.sharing === undefined) return lines;
  const { bucket, shares, chosen } = step.sharing;
  const shareLines = shares.map(({ variant, rollout, below }, at) => {
    const mark = at === chosen ? ', chosen' : '';
    return `    ${words.shareText(rollout, variant)}: buckets below ${below}${mark}`;
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
    `${title}: ${words.matchTypeText(matchType, constraints.length)}`,
    ...constraints.map((constraint) => `    ${constraintText(constraint)}`),
  ];
}

/** Describes a constraint, the value that it was compared with, and whether the constraint matched. */
export function constraintText(constraint: ExplainedConstraint): string {
  const verdict = constraint.matched ? 'matches' : 'does not match';
  return `${words.comparisonText(constraint)}: ${verdict}, ${reasonText(constraint)}`;
}

function reasonText({ type, seen, like, why }: ExplainedConstraint): string {
  const hint = like === undefined ? '' : ` (the context has ${quoted(like)})`;
  const value = seen === undefined ? `there is no value${hint}` : `the value is ${quoted(seen)}`;
  if (why === 'unknown-operator') return 'there is no such operator';
  if (why === 'unreadable-constraint') return "the constraint's own value does not parse";
  return why === 'unreadable' ? `${value}, which is no ${words.TYPE_WORDS[type]}` : value;
}
