import type * as v from 'valibot';
import type {
  BooleanFlag,
  Distribution,
  Flag,
  Rollout,
  Rule,
  Segment,
  SegmentOperator,
  Semantics,
  Variant,
  VariantFlag,
} from '../../engine/features.js';
import type { Steps } from '../../engine/stepwise.js';
import {
  constraintSchema,
  distributionSchema,
  flagSchema,
  rolloutSchema,
  ruleSchema,
  segmentSchema,
  type WireBooleanFlag,
  type WireVariantFlag,
} from './body-schema.js';
import { checked } from './check.js';
import { distinctNames } from './distinct-names.js';
import { InvalidBody } from './invalid-body.js';

/** Gives each segment of a rule or rollout the key under which the features hold it. */
export type SegmentKey = (segment: Segment) => string;

/** A flag of the snapshot as the engine reads it, in steps. Throws {@link InvalidBody}. */
export function* readFlag(json: unknown, semantics: Semantics, segmentKey: SegmentKey): Steps<Flag> {
  const flag = checked(json, flagSchema, '');
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? yield* readBoolean(flag, segmentKey)
    : yield* readVariant(flag, semantics, segmentKey);
}

function* readBoolean(
  { type, key, enabled, rollouts }: WireBooleanFlag,
  segmentKey: SegmentKey,
): Steps<BooleanFlag> {
  const read: Rollout[] = [];
  for (const [at, json] of rollouts.entries()) {
    const place = `.rollouts[${at}]`;
    const rollout = checked(json, rolloutSchema, place);
    if (rollout.type === 'THRESHOLD_ROLLOUT_TYPE') read.push({ kind: 'threshold', ...rollout.threshold });
    else {
      const { value, segmentOperator, segments } = rollout.segment;
      const chosen = yield* readSegments(segments, `${place}.segment.segments`);
      const segmentKeys = yield* keysOf(chosen, segmentKey);
      read.push({ kind: 'segment', value, segmentKeys, segmentOperator });
    }
    yield;
  }
  return { type, key, enabled, rollouts: read };
}

function* readVariant(
  flag: WireVariantFlag,
  semantics: Semantics,
  segmentKey: SegmentKey,
): Steps<VariantFlag> {
  const { type, key, enabled, defaultVariant } = flag;
  const variants = new Map<string, Variant>();
  // Each share repeats its variant's attachment. If it differs from the others, the share gets a variant of its own.
  const nameOf = distinctNames();
  const idOf = (variant: Variant): string => {
    const id = nameOf(variant.key, variant.attachment);
    variants.set(id, variant);
    return id;
  };
  // All copies are checked, because a word that is not known may be in any of them.
  const read = yield* readRules(flag.rules);
  const rules: Rule[] = [];
  const withoutSegments = new Set<SegmentOperator>();
  for (const rule of semantics === 'v1' ? withoutCopies(read) : read) {
    // Without segments, rules of one operator match everybody or nobody, so that only the first of them counts.
    if (rule.segments.length === 0) {
      if (withoutSegments.has(rule.segmentOperator)) continue;
      withoutSegments.add(rule.segmentOperator);
    }
    const distributions: Distribution[] = [];
    for (const { variantKey, variantAttachment, rollout } of rule.distributions) {
      distributions.push({ variantId: idOf({ key: variantKey, attachment: variantAttachment }), rollout });
      yield;
    }
    const segmentKeys = yield* keysOf(rule.segments, segmentKey);
    rules.push({ segmentKeys, segmentOperator: rule.segmentOperator, distributions });
    yield;
  }
  const defaultVariantId = defaultVariant ? idOf(defaultVariant) : undefined;
  return { type, key, enabled, variants, defaultVariantId, rules };
}

/** A rule, of which v1 lists copies. */
interface ReadRule {
  readonly id: string;
  readonly segmentOperator: SegmentOperator;
  readonly segments: readonly Segment[];
  readonly distributions: readonly v.InferOutput<typeof distributionSchema>[];
}

function* readRules(list: readonly unknown[]): Steps<readonly ReadRule[]> {
  const rules: ReadRule[] = [];
  for (const [at, json] of list.entries()) {
    const place = `.rules[${at}]`;
    const { id, segmentOperator, segments, distributions } = checked(json, ruleSchema, place);
    rules.push({
      id,
      segmentOperator,
      segments: yield* readSegments(segments, `${place}.segments`),
      distributions: yield* checkedItems(distributions, distributionSchema, `${place}.distributions`),
    });
    yield;
  }
  return rules;
}

function* readSegments(list: readonly unknown[], place: string): Steps<readonly Segment[]> {
  const segments: Segment[] = [];
  for (const [at, json] of list.entries()) {
    const { key, matchType, constraints } = checked(json, segmentSchema, `${place}[${at}]`);
    const checkedOnes = yield* checkedItems(constraints, constraintSchema, `${place}[${at}].constraints`);
    segments.push({ key, matchType, constraints: checkedOnes });
    yield;
  }
  return segments;
}

function* checkedItems<S extends v.GenericSchema>(
  list: readonly unknown[],
  schema: S,
  place: string,
): Steps<v.InferOutput<S>[]> {
  const items: v.InferOutput<S>[] = [];
  for (const [at, json] of list.entries()) {
    items.push(checked(json, schema, `${place}[${at}]`));
    yield;
  }
  return items;
}

function* keysOf(segments: readonly Segment[], segmentKey: SegmentKey): Steps<readonly string[]> {
  const keys = new Set<string>();
  for (const segment of segments) {
    keys.add(segmentKey(segment));
    yield;
  }
  return [...keys];
}

/**
 * v1 lists a rule of n segments n times, and in each copy lists each distribution n times in a row. If they were
 * evaluated like that, each variant would get a wrong share.
 */
function withoutCopies(rules: readonly ReadRule[]): readonly ReadRule[] {
  const copies = new Map<string, number>();
  for (const { id } of rules) copies.set(id, (copies.get(id) ?? 0) + 1);
  const seen = new Set<string>();
  return rules.flatMap((rule) => {
    if (rule.id === '') return [rule];
    if (seen.has(rule.id)) return [];
    seen.add(rule.id);
    const { length } = rule.distributions;
    const count = copies.get(rule.id) ?? 1;
    if (length % count !== 0) {
      throw new InvalidBody(`rules: one is listed ${count} times, but has ${length} distributions`);
    }
    return [{ ...rule, distributions: rule.distributions.slice(0, length / count) }];
  });
}
