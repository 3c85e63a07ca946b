import { createHash } from 'node:crypto';
import type * as v from 'valibot';
import { messageOf } from '../base/text/describe.js';
import type * as Evaluated from '../engine/features.js';
import { isShare } from '../engine/effective-rules.js';
import { repeatsRules } from '../engine/version-differences.js';
import type { UnreadableFlag } from '../model/answer.js';
import * as wire from './wire.js';

export type ReadFlag = Evaluated.Flag | UnreadableFlag;

/** Adds the flag's segments to `segments`. What cannot be read concerns this flag alone. */
export function readFlag(
  text: Buffer,
  key: string,
  semantics: Evaluated.Semantics,
  segments: Map<string, Evaluated.Segment>,
): ReadFlag {
  const nameOf = (segment: Evaluated.Segment) => {
    const name = segmentName(segment);
    if (!segments.has(name)) segments.set(name, segment);
    return name;
  };
  try {
    const flag = wire.checked(wire.parsedText(text, 'the flag'), wire.flagSchema, '');
    if (flag.key !== key) throw new wire.InvalidBody('key: this member is listed twice');
    return flag.type === 'VARIANT_FLAG_TYPE'
      ? readVariant(flag, semantics, nameOf)
      : { ...flag, rollouts: flag.rollouts.map((part, at) => readRollout(part, `.rollouts[${at}]`, nameOf)) };
  } catch (error) {
    return { reason: messageOf(error), text: text.toString() };
  }
}

type NameOf = (segment: Evaluated.Segment) => string;

/** Flags of one body may hold different segments of one key, if Flipt v1 was edited while it wrote the body. */
function segmentName({ key, matchType, constraints }: Evaluated.Segment): string {
  const conditions = constraints.map(({ type, property, operator, value }) =>
    JSON.stringify([type, property, operator, value]),
  );
  const content = JSON.stringify([matchType, conditions.sort()]);
  return `${key}\0${createHash('sha1').update(content).digest('base64url')}`;
}

function readRollout(part: unknown, place: string, nameOf: NameOf): Evaluated.Rollout {
  const rollout = wire.checked(part, wire.rolloutSchema, place);
  if (rollout.type === 'THRESHOLD_ROLLOUT_TYPE') return { kind: 'threshold', ...rollout.threshold };
  const { segments, ...choice } = rollout.segment;
  const segmentKeys = readSegments(segments, `${place}.segment.segments`, nameOf);
  return { kind: 'segment', ...choice, segmentKeys };
}

function readVariant(
  flag: wire.WireVariantFlag,
  semantics: Evaluated.Semantics,
  nameOf: NameOf,
): Evaluated.VariantFlag {
  const { type, key, enabled, defaultVariant } = flag;
  // Each distribution repeats its variant's attachment. Two that differ get a variant each.
  const variants = new Map<string, Evaluated.Variant>();
  const ids = new Map<string, string>();
  const idOf = (variantKey: string, attachment: string) => {
    const content = JSON.stringify([variantKey, attachment]);
    const id = ids.get(content) ?? String(ids.size);
    ids.set(content, id);
    variants.set(id, { key: variantKey, attachment });
    return id;
  };
  // All copies are read, because any may hold a word that this version of the package does not know.
  const read = flag.rules.map((part, at) => readRule(part, `.rules[${at}]`, nameOf));
  const rules = (repeatsRules(semantics) ? withoutCopies(read) : read).map(({ shares, ...choice }) => ({
    segmentKeys: choice.segmentKeys,
    segmentOperator: choice.segmentOperator,
    distributions: shares.map(({ variantKey, variantAttachment, rollout }) => ({
      variantId: idOf(variantKey, variantAttachment),
      rollout,
    })),
  }));
  const defaultVariantId = defaultVariant ? idOf(defaultVariant.key, defaultVariant.attachment) : undefined;
  return { type, key, enabled, variants, defaultVariantId, rules: withEffect(rules) };
}

/** 100,000 empty rules must not cost an evaluation each. The first without segments, of an operator, decides for all. */
function withEffect(rules: readonly Evaluated.Rule[]): readonly Evaluated.Rule[] {
  const withoutSegments = new Set<Evaluated.SegmentOperator>();
  return rules.flatMap((rule) => {
    const isRepeated = rule.segmentKeys.length === 0 && withoutSegments.has(rule.segmentOperator);
    if (rule.segmentKeys.length === 0) withoutSegments.add(rule.segmentOperator);
    return isRepeated ? [] : [{ ...rule, distributions: rule.distributions.filter(isShare) }];
  });
}

interface ReadRule extends Evaluated.SegmentChoice {
  readonly id: string;
  readonly shares: readonly v.InferOutput<typeof wire.distributionSchema>[];
}

function readRule(part: unknown, place: string, nameOf: NameOf): ReadRule {
  const { id, segmentOperator, segments, distributions } = wire.checked(part, wire.ruleSchema, place);
  const segmentKeys = readSegments(segments, `${place}.segments`, nameOf);
  const shares = checkedItems(distributions, wire.distributionSchema, `${place}.distributions`);
  return { id, segmentOperator, segmentKeys, shares };
}

function readSegments(list: readonly unknown[], place: string, nameOf: NameOf): readonly string[] {
  const names = list.map((part, at) => {
    const inList = `${place}[${at}]`;
    const { key, matchType, constraints } = wire.checked(part, wire.segmentSchema, inList);
    const read = checkedItems(constraints, wire.constraintSchema, `${inList}.constraints`);
    return nameOf({ key, matchType, constraints: read });
  });
  return [...new Set(names)];
}

function checkedItems<S extends v.GenericSchema>(
  list: readonly unknown[],
  schema: S,
  place: string,
): v.InferOutput<S>[] {
  return list.map((part, at) => wire.checked(part, schema, `${place}[${at}]`));
}

/** Flipt v1 lists a rule with n segments n times, each time with each distribution n times. */
function withoutCopies(rules: readonly ReadRule[]): readonly ReadRule[] {
  const copies = new Map<string, number>();
  for (const { id } of rules) if (id !== '') copies.set(id, (copies.get(id) ?? 0) + 1);
  return rules.flatMap((rule) => {
    if (rule.id === '') return [rule];
    const count = copies.get(rule.id);
    if (count === undefined) return [];
    copies.delete(rule.id);
    const { length } = rule.shares;
    if (length % count !== 0) {
      throw new wire.InvalidBody(`rules: a rule is listed ${count} times, but has ${length} distributions`);
    }
    return [{ ...rule, shares: rule.shares.slice(0, length / count) }];
  });
}
