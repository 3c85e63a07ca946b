import { underThreshold, boundsOf, BUCKETS, ONE_PERCENT, positionOf } from '../../engine/buckets.js';
import type { SegmentChoice, Semantics } from '../../engine/features.js';
import { neededSegments, sharesIn } from '../../engine/parts-in-force.js';
import type { DocumentPath } from '../features-error.js';
import type { CheckedFlag } from '../document-schema.js';
import { rankedRules } from '../recorded-features.js';
import type { LintedDocument } from './finding.js';
import { choiceReach, type Reach } from './segment-coverage.js';

/**
 * A value that a flag can give to an entity. `undefined` means that the flag gives no variant, so that callers get the
 * default value of their own code.
 */
export type GivenValue = boolean | string | undefined;

/** A rule of a variant flag, or a rollout of a boolean flag. */
export interface Step {
  /**
   * The name of the rule or rollout, such as `rule 1`. The number is the position in the flag's list of rules or
   * rollouts, counted from 1.
   */
  readonly name: string;
  /** The path of the rule or rollout within its flag, such as `['rules', 0]`. */
  readonly path: DocumentPath;
  readonly reach: Reach;
  /** The segments to which the rule or rollout applies, or `undefined` for a threshold rollout. */
  readonly choice: SegmentChoice | undefined;
  /** All values that the rule or rollout can give. */
  readonly gives: readonly GivenValue[];
}

/** Returns the rules or rollouts of a flag in the order in which evaluation tries them. */
export function stepsOf(flag: CheckedFlag, { reaches, semantics }: LintedDocument): readonly Step[] {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    return flag.rollouts.map((rollout, index) => ({
      name: `rollout ${index + 1}`,
      path: ['rollouts', index],
      reach: rollout.kind === 'segment' ? choiceReach(rollout, reaches) : underThreshold(rollout.percentage),
      choice: rollout.kind === 'segment' ? rollout : undefined,
      gives: [rollout.value],
    }));
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

/** Returns the value that a flag gives to an entity to which no rule or rollout applies. */
export function fallbackOf({ type, enabled, variants }: CheckedFlag): GivenValue {
  return type === 'BOOLEAN_FLAG_TYPE' ? enabled : variants.find((variant) => variant.default)?.key;
}

/**
 * Finds the rules and rollouts that never decide, because earlier rules or rollouts already decide about all of their
 * entities. For each rule or rollout, the result lists the earlier rules or rollouts that decide in its place; the list
 * is empty if there are none. The function does not find every rule and rollout that never decides, but is certain
 * about those that it finds.
 */
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

/**
 * Returns the percentage of a rule's entities that each variant gets, by the variant's key. Under the key `undefined`,
 * the result has the percentage of entities that get the flag's default variant, or no variant if the flag has no
 * default variant. The result has only percentages above 0. The percentages have at most one decimal, because Flipt
 * divides the entities into 1,000 buckets.
 */
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
