import { createHash } from 'node:crypto';
import { isSharedEqually } from '../engine/buckets.js';
import type { Flag, Rule, Segment, SegmentChoice, Semantics, VariantFlag } from '../engine/features.js';
import { rulesInForce, sharesIn, variantOf } from '../engine/parts-in-force.js';
import { isV2, NEWEST_V2 } from '../engine/version-differences.js';
import { unlessItThrows } from '../base/text/describe.js';

/**
 * A flag that differs between two snapshots. `before` is a digest of the flag's content in the earlier snapshot, and
 * `after` in the later one. Either is `undefined` if that snapshot has no such flag.
 */
export interface FlagChange {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Returns a single digest of all flags of a snapshot. `contents` holds the digest of each flag's content by the flag's
 * key.
 */
export function digestOf(contents: ReadonlyMap<string, string | undefined>): string {
  return digest(JSON.stringify([...contents].sort(([left], [right]) => (left < right ? -1 : 1))));
}

/**
 * Returns the name under which a snapshot's features hold a segment. The name consists of the segment's key and a
 * digest of its content. A snapshot repeats a segment in each rule that uses it. Two copies of a segment can differ,
 * because Flipt v1 reads the copies one by one, and somebody may edit the segment in between. Because the name contains
 * the digest, each rule keeps its own copy of the segment. The order of the constraints does not change the name,
 * because the order has no effect on evaluation: a segment needs either all of its constraints or any one of them.
 */
export function segmentName({ key, matchType, constraints }: Segment): string {
  const conditions = constraints.map(({ type, property, operator, value }) =>
    JSON.stringify([type, property, operator, value]),
  );
  return `${key}\0${digest(JSON.stringify([matchType, conditions.sort()]))}`;
}

/**
 * Returns the digest of a flag's content. The flag refers to its segments by the names that {@link segmentName} gives.
 */
export function flagContent(flag: Flag, semantics: Semantics): string {
  return digest(JSON.stringify([flag.type, flag.enabled, ...stepContents(flag, semantics)]));
}

function stepContents(flag: Flag, semantics: Semantics): readonly unknown[] {
  if (flag.type === 'BOOLEAN_FLAG_TYPE')
    return flag.rollouts.map((rollout) => [
      rollout.value,
      rollout.kind === 'threshold' ? rollout.percentage : choiceContent(rollout),
    ]);
  const rules = flag.rules.map((rule) => [
    choiceContent(rule),
    rule.distributions.map(({ variantId, rollout }) => [variantContent(flag, variantId), rollout]),
  ]);
  return [namedSemantics(flag, semantics), variantContent(flag, flag.defaultVariantId), rules];
}

function variantContent(flag: VariantFlag, id: string | undefined): unknown {
  const variant = variantOf(flag, id);
  return variant === undefined ? null : [variant.key, attachmentContent(variant.attachment)];
}

/**
 * Returns the value of an attachment, which does not depend on the attachment's spaces, its escapes and the order of
 * its members. If somebody imports an export into Flipt's database, the import rewrites attachments, which must not
 * count as a change. Of a long attachment, the function returns the text itself.
 */
function attachmentContent(text: string): string {
  if (text === '' || text.length > LONGEST_PART) return text;
  return unlessItThrows(() => canonical(JSON.parse(text), ATTACHMENT)) ?? text;
}

/** The segment keys are sorted, because Flipt v1 lists the segments of a rule in a different order each time. */
function choiceContent({ segmentKeys, segmentOperator }: SegmentChoice): unknown {
  return [segmentOperator, segmentKeys.toSorted()];
}

/**
 * Returns the semantics that count as part of a flag's content, because they decide how the shares of a rule are
 * divided. If older semantics of v2 divide the shares of this flag like the newest semantics, the function returns the
 * newest semantics. A new release of Flipt then does not count as a change of this flag.
 */
export function namedSemantics(flag: Flag, semantics: Semantics): Semantics {
  if (!isV2(semantics)) return semantics;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return NEWEST_V2;
  const isSame = ({ distributions }: Rule) => isSharedEqually(sharesIn(distributions), semantics, NEWEST_V2);
  return rulesInForce(flag).every(isSame) ? NEWEST_V2 : semantics;
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64url');
}

/**
 * The members that Flipt writes but evaluation does not read, by their place in the flag. Flipt v2 makes new ids and
 * times for each body. A member with another name or in another place counts as content, because it may have a meaning
 * that this version of the package does not know.
 */
const WITHOUT_EFFECT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['', new Set(['name', 'description', 'createdAt', 'updatedAt'])],
  ['.defaultVariant', new Set(['id'])],
  ['.rules', new Set(['id'])],
  ['.rules.distributions', new Set(['id', 'ruleId', 'variantId'])],
  ...['.rules', '.rollouts.segment'].flatMap((place): [string, ReadonlySet<string>][] => [
    [`${place}.segments`, new Set(['name', 'description', 'createdAt', 'updatedAt'])],
    [`${place}.segments.constraints`, new Set(['id'])],
  ]),
]);
/**
 * The name that stands for the place of an attachment. It equals no place in a flag, so that all members of an
 * attachment and the order of its lists count.
 */
const ATTACHMENT = 'attachment';
/**
 * The places of the lists whose order does not count as content. Flipt v1 lists segments in another order in each body,
 * and the order of constraints has no effect on evaluation.
 */
const WITHOUT_ORDER = /^(?:\.rules|\.rollouts\.segment)\.segments(?:\.constraints)?$/;
/** A part of a flag with more characters than this is replaced by a digest of the part. */
const LONGEST_PART = 4_096;

/**
 * Returns a digest of an unreadable flag. Two unreadable flags have the same digest if they differ only in members that
 * evaluation does not read. The function throws a RangeError if the flag is nested too deep.
 */
export function unreadableContent(json: unknown): string {
  return digest(`unreadable ${canonical(json, '')}`);
}

function canonical(value: unknown, place: string): string {
  if (typeof value !== 'object' || value === null) return short(JSON.stringify(value));
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item, place));
    if (WITHOUT_ORDER.test(place)) items.sort();
    return short(`[${items.join()}]`);
  }
  const ignored = WITHOUT_EFFECT.get(place);
  const members = Object.entries(value)
    .filter(([name]) => !ignored?.has(name))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member, `${place}.${name}`)}`);
  return short(`{${members.sort().join()}}`);
}

function short(part: string): string {
  return part.length > LONGEST_PART ? digest(part) : part;
}
