import { underThreshold, boundsOf, BUCKETS, ONE_PERCENT, positionOf } from '../../engine/buckets.js';
import type { SegmentChoice, Semantics } from '../../engine/features.js';
import { neededSegments, sharesIn } from '../../engine/parts-in-force.js';
import type { DocumentPath } from '../features-error.js';
import type { CheckedFlag } from '../document-schema.js';
import { rankedRules } from '../recorded-features.js';
import type { LintedDocument } from './finding.js';
import { choiceReach, type Reach } from './segment-coverage.js';

/**
 * A value that a flag can give. `undefined` means that the flag gives no variant, so that callers get their own
 * default.
 */
export type GivenValue = boolean | string | undefined;

/** A rule of a variant flag, or a rollout of a boolean flag. */
export interface Step {
  /** The name of the step, such as `rule 1`. Steps are counted in the order of the file, from 1. */
  readonly name: string;
  /** The path of the step within its flag. */
  readonly path: DocumentPath;
  readonly reach: Reach;
  /** The segments to which the step applies. It is `undefined` if the step is a threshold. */
  readonly choice: SegmentChoice | undefined;
  /** All values that the step can give. */
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
 * Returns for each step the earlier steps that together decide about all of its entities, so that the step itself never
 * decides. The list of a step is empty if there are no such earlier steps. The function does not find all steps that
 * never decide, but each step that it finds is certain.
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
 * Returns how a rule divides its entities: the share of each variant by the variant's key and, under `undefined`, the
 * share of those who get the flag's default variant. Only shares above 0 are listed. The shares are percentages with
 * one decimal, because the service has 1,000 buckets.
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
