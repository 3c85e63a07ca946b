import { underThreshold, boundsOf, BUCKETS, ONE_PERCENT, positionOf } from '../../engine/buckets.js';
import type { SegmentChoice, Semantics } from '../../engine/features.js';
import { neededSegments, sharesIn } from '../../engine/parts-in-force.js';
import type { DocumentPath } from '../features-error.js';
import type { CheckedFlag } from '../document-schema.js';
import { rankedRules } from '../recorded-features.js';
import type { LintedDocument } from './finding.js';
import { choiceReach, type Reach } from './reached-entities.js';

/** A value that a flag may give. `undefined`: no variant, so that callers get their own default. */
export type GivenValue = boolean | string | undefined;

/** A rule of a variant flag, or a rollout of a boolean flag. */
export interface Step {
  /** `rule 1`, counted in the file. */
  readonly name: string;
  /** Its place in the flag. */
  readonly path: DocumentPath;
  readonly reach: Reach;
  /** `undefined` for a threshold. */
  readonly choice: SegmentChoice | undefined;
  /** All values that it may give. */
  readonly gives: readonly GivenValue[];
}

/** The rules or rollouts that decide about a flag, in the order of evaluation. */
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

/** What a flag gives to an entity that no rule or rollout concerns. */
export function fallbackOf({ type, enabled, variants }: CheckedFlag): GivenValue {
  return type === 'BOOLEAN_FLAG_TYPE' ? enabled : variants.find((variant) => variant.default)?.key;
}

/**
 * For each step, the earlier ones that together decide about all of its entities, so that it never does. Empty if there
 * are none, or none are found: the answer is one-sided.
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
 * How a rule divides its entities at run time: the share of each variant, by its key, and under `undefined` the share
 * of those who get the flag's default variant. Only shares that somebody gets, in percent with one decimal, because the
 * service has 1,000 buckets.
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
