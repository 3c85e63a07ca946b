import type * as v from 'valibot';
import type * as Evaluated from '../../engine/features.js';
import { isShare } from '../../engine/parts-in-force.js';
import { repeatsRules } from '../../engine/version-differences.js';
import { mapInSteps, stepsOfEach, type Steps } from '../../base/time/pausable-steps.js';
import type { UnreadableFlag } from '../../model/answer.js';
import { flagContent, unreadableContent } from '../flag-content.js';
import * as wire from './body-schema.js';
import { messageOf } from '../../base/text/describe.js';
import { checked, InvalidBody } from './invalid-body.js';
import { distinctNames } from './distinct-names.js';

/** Gives each segment of a rule or rollout the key under which the features hold it. */
type SegmentKey = (segment: Evaluated.Segment) => string;

/**
 * A flag, or why it cannot be read: such a flag is set aside alone, and the others are read. With its content, which is
 * equal for two flags between which nothing has changed that matters. `text`: the flag's text in the body.
 */
export function* readFlagAlone(
  json: unknown,
  text: () => string,
  semantics: Evaluated.Semantics,
  { nameOf, contentOf }: ReturnType<typeof distinctNames<Evaluated.Segment>>,
): Steps<{ readonly flag: Evaluated.Flag | UnreadableFlag; readonly content: string }> {
  try {
    const flag = yield* readFlag(json, semantics, nameOf);
    return { flag, content: yield* flagContent(flag, contentOf, semantics) };
  } catch (error) {
    // A defect of ours, too, concerns this flag alone: nobody waits for the background, where it may be found.
    const reason = messageOf(error);
    const content = yield* unreadableContent(json);
    // Megabytes of text take a step of their own.
    yield;
    // Valid JSON, whose strings hold no line breaks. A store keeps a snapshot in one line.
    return { flag: { reason, text: text().replace(/[\r\n]/g, ' ') }, content };
  }
}

/** A flag of the snapshot as the engine reads it, in steps. Throws {@link InvalidBody}. */
export function* readFlag(
  json: unknown,
  semantics: Evaluated.Semantics,
  segmentKey: SegmentKey,
): Steps<Evaluated.Flag> {
  const flag = checked(json, wire.flagSchema, '');
  if (flag.type === 'VARIANT_FLAG_TYPE') return yield* readVariant(flag, semantics, segmentKey);
  const rollouts = yield* stepsOfEach(flag.rollouts, function* (part, at): Steps<Evaluated.Rollout> {
    const place = `.rollouts[${at}]`;
    const rollout = checked(part, wire.rolloutSchema, place);
    if (rollout.type === 'THRESHOLD_ROLLOUT_TYPE') return { kind: 'threshold', ...rollout.threshold };
    const { segments, ...choice } = rollout.segment;
    const segmentKeys = yield* readSegments(segments, `${place}.segment.segments`, segmentKey);
    return { kind: 'segment', ...choice, segmentKeys };
  });
  return { ...flag, rollouts };
}

function* readVariant(
  flag: wire.WireVariantFlag,
  semantics: Evaluated.Semantics,
  segmentKey: SegmentKey,
): Steps<Evaluated.VariantFlag> {
  const { type, key, enabled, defaultVariant } = flag;
  // Each share repeats its variant's attachment. If it differs from the others, the share gets a variant of its own.
  const { byName: variants, nameOf } = distinctNames<Evaluated.Variant>(({ attachment }) => attachment);
  // All copies are read, because a word that is not known may be in any of them.
  const read = yield* readRules(flag.rules, segmentKey);
  const rules: Evaluated.Rule[] = [];
  const withoutSegments = new Set<Evaluated.SegmentOperator>();
  for (const { shares, ...choice } of repeatsRules(semantics) ? withoutCopies(read) : read) {
    // Without segments, rules of one operator match everybody or nobody, so that only the first of them counts.
    if (choice.segmentKeys.length === 0) {
      if (withoutSegments.has(choice.segmentOperator)) continue;
      withoutSegments.add(choice.segmentOperator);
    }
    const distributions: Evaluated.Distribution[] = [];
    for (const { variantKey, variantAttachment, rollout } of shares) {
      const known = variants.size;
      const variantId = nameOf({ key: variantKey, attachment: variantAttachment });
      // A share of 0 % gives nothing. It only says that there is such a variant.
      if (isShare({ rollout }) || variants.size > known) distributions.push({ variantId, rollout });
      yield;
    }
    const { segmentKeys, segmentOperator } = choice;
    rules.push({ segmentKeys, segmentOperator, distributions });
    yield;
  }
  const defaultVariantId = defaultVariant ? nameOf(defaultVariant) : undefined;
  return { type, key, enabled, variants, defaultVariantId, rules };
}

/** A rule, of which v1 lists copies. */
interface ReadRule extends Evaluated.SegmentChoice {
  readonly id: string;
  readonly shares: readonly v.InferOutput<typeof wire.distributionSchema>[];
}

function readRules(list: readonly unknown[], segmentKey: SegmentKey): Steps<readonly ReadRule[]> {
  return stepsOfEach(list, function* (json, at) {
    const place = `.rules[${at}]`;
    const { id, segmentOperator, segments, distributions } = checked(json, wire.ruleSchema, place);
    const segmentKeys = yield* readSegments(segments, `${place}.segments`, segmentKey);
    const shares = yield* checkedItems(distributions, wire.distributionSchema, `${place}.distributions`);
    return { id, segmentOperator, segmentKeys, shares };
  });
}

function* readSegments(
  list: readonly unknown[],
  place: string,
  segmentKey: SegmentKey,
): Steps<readonly string[]> {
  const keys = yield* stepsOfEach(list, function* (json, at) {
    const inList = `${place}[${at}]`;
    const { key, matchType, constraints } = checked(json, wire.segmentSchema, inList);
    const read = yield* checkedItems(constraints, wire.constraintSchema, `${inList}.constraints`);
    return segmentKey({ key, matchType, constraints: read });
  });
  return keys.length > 1 ? [...new Set(keys)] : keys;
}

function checkedItems<S extends v.GenericSchema>(
  list: readonly unknown[],
  schema: S,
  place: string,
): Steps<v.InferOutput<S>[]> {
  return mapInSteps(list, (json, at) => checked(json, schema, `${place}[${at}]`));
}

/**
 * v1 lists a rule of n segments n times, and in each copy lists each distribution n times in a row. If they were
 * evaluated like that, each variant would get a wrong share.
 */
function* withoutCopies(rules: readonly ReadRule[]): Generator<ReadRule> {
  const copies = new Map<string, number>();
  for (const { id } of rules) if (id !== '') copies.set(id, (copies.get(id) ?? 0) + 1);
  for (const rule of rules) {
    const count = rule.id === '' ? 1 : copies.get(rule.id);
    // The first of its copies was there before.
    if (count === undefined) continue;
    copies.delete(rule.id);
    const { length } = rule.shares;
    if (length % count !== 0) {
      throw new InvalidBody(`rules: one is listed ${count} times, but has ${length} distributions`);
    }
    yield count === 1 ? rule : { ...rule, shares: rule.shares.slice(0, length / count) };
  }
}
