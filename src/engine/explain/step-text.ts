import { quoted } from '../../text/quote.js';
import type { MatchType, SegmentOperator } from '../features.js';
import { constraintText } from './constraint-text.js';
import type {
  StepOutcome,
  ExplainedSegment,
  ExplainedSharing,
  ExplainedStep,
  ExplainedThreshold,
} from './explanation.js';

/** A rule or rollout; below it, its segments; below each segment, its constraints. */
export function stepLines(step: ExplainedStep, number: number): readonly string[] {
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

export function operatorText(operator: SegmentOperator, count: number): string {
  if (count === 0) return 'it names no segments';
  if (operator !== 'OR_SEGMENT_OPERATOR' && operator !== 'AND_SEGMENT_OPERATOR') {
    return 'its operator is unknown and asks for no segment';
  }
  if (count === 1) return 'its segment decides';
  return `it needs ${operator === 'OR_SEGMENT_OPERATOR' ? 'one' : 'all'} of its segments`;
}

function segmentLines({ key, matched, matchType, constraints }: ExplainedSegment): readonly string[] {
  const title = `  Segment ${quoted(key)} ${matched ? 'matches' : 'does not match'}`;
  return [
    `${title}: ${matchTypeText(matchType, constraints.length)}`,
    ...constraints.map((constraint) => `    ${constraintText(constraint)}`),
  ];
}

export function matchTypeText(matchType: MatchType | undefined, count: number): string {
  if (matchType === undefined) return 'it does not exist';
  if (matchType !== 'ALL_MATCH_TYPE' && matchType !== 'ANY_MATCH_TYPE') return 'its match type is unknown';
  if (count === 0) return 'it has no constraints';
  if (count === 1) return 'its constraint decides';
  return `it needs ${matchType === 'ALL_MATCH_TYPE' ? 'all' : 'one'} of its constraints`;
}

function sharingLines({ bucket, shares, chosen }: ExplainedSharing): readonly string[] {
  const lines = shares.map(({ variant, rollout, below }, at) => {
    const name = variant === undefined ? 'the default variant' : `variant ${quoted(variant)}`;
    return `    ${rollout} % ${name}: buckets below ${below}${at === chosen ? ', chosen' : ''}`;
  });
  return [`  The entity is in bucket ${bucket} of 1000`, ...lines];
}
