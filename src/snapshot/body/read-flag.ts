import type * as v from 'valibot';
import type * as Evaluated from '../../engine/features.js';
import { isShare } from '../../engine/parts-in-force.js';
import { repeatsRules } from '../../engine/version-differences.js';
import type { UnreadableFlag } from '../../model/answer.js';
import { segmentName } from '../flag-content.js';
import * as wire from './body-schema.js';
import { messageOf } from '../../base/text/describe.js';
import { checked, InvalidBody, parsed } from './invalid-body.js';
import { checkText } from './text-limits.js';

/** Returns the name under which the features hold a segment of a rule or rollout. */
type SegmentKey = (segment: Evaluated.Segment) => string;

/**
 * Parses the text of a flag, and returns the flag or the reason why the flag cannot be read. An unreadable flag does
 * not affect other flags. The function adds the segments of the flag to `segments`.
 */
export function readFlag(
  text: Buffer,
  key: string,
  semantics: Evaluated.Semantics,
  segments: Map<string, Evaluated.Segment>,
): Evaluated.Flag | UnreadableFlag {
  try {
    const flag = flagOf(parsed(checkText(text), 'the flag'), semantics, (segment) => {
      const name = segmentName(segment);
      if (!segments.has(name)) segments.set(name, segment);
      return name;
    });
    if (flag.key !== key) throw new InvalidBody('key: this member is listed twice');
    return flag;
  } catch (error) {
    // Even an error from a defect of this package makes only this flag unreadable, because flags are also read in the
    // background, where no caller would catch the error. The text of an unreadable flag gets spaces in place of line
    // breaks, because a saved text holds the body of a snapshot in one line. Replacing line breaks does not change what
    // valid JSON means, because a string in JSON cannot contain a line break.
    return { reason: messageOf(error), text: text.toString().replace(/[\r\n]/g, ' ') };
  }
}

function flagOf(json: unknown, semantics: Evaluated.Semantics, segmentKey: SegmentKey): Evaluated.Flag {
  const flag = checked(json, wire.flagSchema, '');
  if (flag.type === 'VARIANT_FLAG_TYPE') return readVariant(flag, semantics, segmentKey);
  const rollouts = flag.rollouts.map((part, at): Evaluated.Rollout => {
    const place = `.rollouts[${at}]`;
    const rollout = checked(part, wire.rolloutSchema, place);
    if (rollout.type === 'THRESHOLD_ROLLOUT_TYPE') return { kind: 'threshold', ...rollout.threshold };
    const { segments, ...choice } = rollout.segment;
    const segmentKeys = readSegments(segments, `${place}.segment.segments`, segmentKey);
    return { kind: 'segment', ...choice, segmentKeys };
  });
  return { ...flag, rollouts };
}

function readVariant(
  flag: wire.WireVariantFlag,
  semantics: Evaluated.Semantics,
  segmentKey: SegmentKey,
): Evaluated.VariantFlag {
  const { type, key, enabled, defaultVariant } = flag;
  // In a snapshot, each distribution of a rule repeats the attachment of its variant. If two distributions have the
  // same variant key but different attachments, each attachment gets a variant of its own.
  const variants = new Map<string, Evaluated.Variant>();
  const ids = new Map<string, string>();
  const idOf = (key: string, attachment: string) => {
    const content = JSON.stringify([key, attachment]);
    const id = ids.get(content) ?? String(ids.size);
    if (!ids.has(content)) variants.set(id, { key, attachment });
    ids.set(content, id);
    return id;
  };
  // All copies of a rule are checked, because any copy may hold a word that this version of the package does not know.
  const read = readRules(flag.rules, segmentKey);
  const rules: Evaluated.Rule[] = [];
  const withoutSegments = new Set<Evaluated.SegmentOperator>();
  for (const { shares, ...choice } of repeatsRules(semantics) ? withoutCopies(read) : read) {
    // A rule without segments matches everybody or nobody, depending on its operator. Of several rules without segments
    // that have the same operator, only the first one counts.
    if (choice.segmentKeys.length === 0) {
      if (withoutSegments.has(choice.segmentOperator)) continue;
      withoutSegments.add(choice.segmentOperator);
    }
    const distributions: Evaluated.Distribution[] = [];
    for (const { variantKey, variantAttachment, rollout } of shares) {
      const known = variants.size;
      const variantId = idOf(variantKey, variantAttachment);
      // A distribution of 0 % gives its variant to nobody. A distribution of 0 % is added only if no earlier
      // distribution of the flag has the same variant.
      if (isShare({ rollout }) || variants.size > known) distributions.push({ variantId, rollout });
    }
    const { segmentKeys, segmentOperator } = choice;
    rules.push({ segmentKeys, segmentOperator, distributions });
  }
  const defaultVariantId = defaultVariant ? idOf(defaultVariant.key, defaultVariant.attachment) : undefined;
  return { type, key, enabled, variants, defaultVariantId, rules };
}

/** A rule in the form in which it stands in the body. Flipt v1 can list copies of the same rule. */
interface ReadRule extends Evaluated.SegmentChoice {
  readonly id: string;
  readonly shares: readonly v.InferOutput<typeof wire.distributionSchema>[];
}

function readRules(list: readonly unknown[], segmentKey: SegmentKey): readonly ReadRule[] {
  return list.map((json, at) => {
    const place = `.rules[${at}]`;
    const { id, segmentOperator, segments, distributions } = checked(json, wire.ruleSchema, place);
    const segmentKeys = readSegments(segments, `${place}.segments`, segmentKey);
    const shares = checkedItems(distributions, wire.distributionSchema, `${place}.distributions`);
    return { id, segmentOperator, segmentKeys, shares };
  });
}

function readSegments(list: readonly unknown[], place: string, segmentKey: SegmentKey): readonly string[] {
  const keys = list.map((json, at) => {
    const inList = `${place}[${at}]`;
    const { key, matchType, constraints } = checked(json, wire.segmentSchema, inList);
    const read = checkedItems(constraints, wire.constraintSchema, `${inList}.constraints`);
    return segmentKey({ key, matchType, constraints: read });
  });
  return keys.length > 1 ? [...new Set(keys)] : keys;
}

function checkedItems<S extends v.GenericSchema>(
  list: readonly unknown[],
  schema: S,
  place: string,
): v.InferOutput<S>[] {
  return list.map((json, at) => checked(json, schema, `${place}[${at}]`));
}

/**
 * Yields each rule once. Flipt v1 lists a rule with n segments n times. In each copy of a rule with n segments, Flipt
 * v1 repeats the whole list of distributions n times. If the provider evaluated the copies of a rule, each variant
 * would get a wrong share.
 */
function* withoutCopies(rules: readonly ReadRule[]): Generator<ReadRule> {
  const copies = new Map<string, number>();
  for (const { id } of rules) if (id !== '') copies.set(id, (copies.get(id) ?? 0) + 1);
  for (const rule of rules) {
    const count = rule.id === '' ? 1 : copies.get(rule.id);
    // An earlier copy of this rule has been yielded already.
    if (count === undefined) continue;
    copies.delete(rule.id);
    const { length } = rule.shares;
    if (length % count !== 0) {
      throw new InvalidBody(`rules: a rule is listed ${count} times, but has ${length} distributions`);
    }
    yield count === 1 ? rule : { ...rule, shares: rule.shares.slice(0, length / count) };
  }
}
