import { BUCKETS, boundsOf, ONE_PERCENT, positionOf, underThreshold } from '../../engine/buckets.js';
import {
  isReadable,
  membersOf,
  neededContent,
  OPERATORS,
  PARSE,
  type Content,
} from '../../engine/constraint-match.js';
import type { Constraint, Segment, SegmentChoice, Semantics } from '../../engine/features.js';
import { isBlank } from '../../engine/go-syntax.js';
import { neededConstraints, neededSegments, sharesIn } from '../../engine/effective-rules.js';
import { quoted } from '../../base/text/describe.js';
import { rankedRules } from '../normalize.js';
import type { Path } from '../problem.js';
import type { CheckedFlag } from '../schema.js';

/** `everybody` and `nobody` only where it is certain. */
export type Reach = 'everybody' | 'nobody' | 'some';

export function segmentReach({ matchType, constraints }: Segment): Reach {
  const needed = neededConstraints(matchType, constraints.length);
  if (needed === undefined) return 'nobody';
  if (needed === 'none') return 'everybody';
  if (needed === 'all') return constraints.some(isImpossible) ? 'nobody' : 'some';
  if (constraints.every(isImpossible)) return 'nobody';
  return coverEverything(constraints) ? 'everybody' : 'some';
}

function choiceReach(choice: SegmentChoice, ofSegments: ReadonlyMap<string, Reach>): Reach {
  const reaches = choice.segmentKeys.map((key) => ofSegments.get(key) ?? 'nobody');
  const [alone, together]: readonly [Reach, Reach] =
    neededSegments(choice.segmentOperator) === 'one' ? ['everybody', 'nobody'] : ['nobody', 'everybody'];
  if (reaches.includes(alone)) return alone;
  return reaches.every((reach) => reach === together) ? together : 'some';
}

/** No value at all matches, for certain. */
export function isImpossible(constraint: Constraint): boolean {
  const { type, operator, value } = constraint;
  if (!OPERATORS[type].includes(operator) || !isReadable(constraint)) return true;
  // Every text contains the empty one.
  if (operator === 'notcontains' && value === '') return true;
  // Flipt trims the attribute before it compares.
  if (operator === 'prefix') return value !== '' && isBlank(value.charAt(0));
  if (operator === 'suffix') return value !== '' && isBlank(value.charAt(value.length - 1));
  if (operator === 'isoneof') return matchesNone(constraint);
  if (type === 'STRING_COMPARISON_TYPE' || type === 'ENTITY_ID_COMPARISON_TYPE')
    return operator === 'eq' && value === '';
  // No comparison with NaN is true, except `neq`.
  return ['eq', 'lt', 'lte', 'gt', 'gte'].includes(operator) && Number.isNaN(PARSE[type](value));
}

function matchesNone({ type, value }: Constraint): boolean {
  const members = membersOf(type, value) ?? [];
  return members.every((member) => (typeof member === 'string' ? member === '' : Number.isNaN(member)));
}

/** For every entity, with or without the attribute. */
function coverEverything(constraints: readonly Constraint[]): boolean {
  const subjectsOf = (needed: Content) =>
    constraints.filter(({ operator }) => neededContent(operator) === needed).map(subjectOf);
  const blank = new Set(subjectsOf('blank'));
  return subjectsOf('filled').some((subject) => blank.has(subject));
}

export function subjectOf({ type, property }: Constraint): string {
  return type === 'ENTITY_ID_COMPARISON_TYPE' ? 'the entity id' : `attribute ${quoted(property)}`;
}

/** `undefined`: no variant, so callers get the default of their own code. */
export type GivenValue = boolean | string | undefined;

/** A rule or a rollout. */
export interface Step {
  /** Such as `rule 1`. */
  readonly name: string;
  readonly path: Path;
  readonly reach: Reach;
  readonly choice: SegmentChoice | undefined;
  readonly gives: readonly GivenValue[];
}

/** In the order of evaluation. */
export function stepsOf(
  flag: CheckedFlag,
  reaches: ReadonlyMap<string, Reach>,
  semantics: Semantics,
): readonly Step[] {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    return flag.rollouts.flatMap((rollout, index) => {
      if (rollout === undefined) return [];
      const choice = rollout.kind === 'segment' ? rollout : undefined;
      const reach =
        rollout.kind === 'segment' ? choiceReach(rollout, reaches) : underThreshold(rollout.percentage);
      return {
        name: `rollout ${index + 1}`,
        path: ['rollouts', index],
        reach,
        choice,
        gives: [rollout.value],
      };
    });
  }
  const fallback = fallbackOf(flag);
  return rankedRules(flag.rules, semantics).map(({ rule, index }) => ({
    name: `rule ${index + 1}`,
    path: ['rules', index],
    reach: choiceReach(rule, reaches),
    choice: rule,
    gives: [...sharesOf(rule.distributions, semantics).keys()].map((variant) => variant ?? fallback),
  }));
}

export function fallbackOf({ type, enabled, variants }: CheckedFlag): GivenValue {
  return type === 'BOOLEAN_FLAG_TYPE' ? enabled : variants.findLast((variant) => variant.default)?.key;
}

/** The earlier steps that decide about all entities of a step. Each is certain, but not all are found. */
export function stepsInFrontOf(steps: readonly Step[]): ReadonlyMap<Step, readonly Step[]> {
  const ofSegments = new Map<string, Step>();
  let ofEverybody: Step | undefined;
  const found = new Map<Step, readonly Step[]>();
  for (const step of steps) {
    const { choice } = step;
    const before = (choice?.segmentKeys ?? []).flatMap((key) => ofSegments.get(key) ?? []);
    const isCovered =
      choice && (isAnd(choice) ? before.length > 0 : before.length === choice.segmentKeys.length);
    found.set(step, ofEverybody ? [ofEverybody] : isCovered ? [...new Set(before)] : []);
    if (step.reach === 'everybody') ofEverybody ??= step;
    if (choice === undefined || isAnd(choice)) continue;
    for (const key of choice.segmentKeys) if (!ofSegments.has(key)) ofSegments.set(key, step);
  }
  return found;
}

function isAnd({ segmentOperator }: SegmentChoice): boolean {
  return neededSegments(segmentOperator) === 'all';
}

/** Percentages with one decimal, because Flipt has 1,000 buckets. `undefined`: the default variant, or none. */
export function sharesOf(distributions: CheckedFlag['rules'][number]['distributions'], semantics: Semantics) {
  const effective = sharesIn(distributions);
  const bounds = boundsOf(effective, semantics);
  const buckets = new Map<string | undefined, number>();
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const variant = effective[positionOf(bucket, bounds)]?.variant;
    buckets.set(variant, (buckets.get(variant) ?? 0) + 1);
  }
  return new Map(Array.from(buckets, ([variant, count]) => [variant, count / ONE_PERCENT]));
}
