import { createHash } from 'node:crypto';
import { isSharedEqually } from '../engine/buckets.js';
import type { Flag, Rule, Segment, SegmentChoice, Semantics, VariantFlag } from '../engine/features.js';
import { rulesInForce, sharesIn, variantOf } from '../engine/parts-in-force.js';
import { isV2, NEWEST_V2 } from '../engine/version-differences.js';
import { unlessItThrows } from '../base/text/describe.js';

/**
 * A flag that differs between two snapshots. `before` and `after` are digests of its content in each snapshot, and are
 * `undefined` if that snapshot has no such flag.
 */
export interface FlagChange {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Returns one digest of all flags. `contents` holds the digest of each flag's content by the flag's key. */
export function digestOf(contents: ReadonlyMap<string, string | undefined>): string {
  return digest(JSON.stringify([...contents].sort(([left], [right]) => (left < right ? -1 : 1))));
}

/**
 * Returns the name under which a snapshot's features hold a segment. The name consists of the segment's key and a
 * digest of its content. A snapshot repeats a segment in each rule, and two copies may differ, because Flipt v1 reads
 * them one by one while somebody may edit them. With the digest in the name, each rule keeps its own copy. The order of
 * constraints does not change the name, because either all constraints are needed or any one is enough.
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
 * Returns the value of an attachment, whatever its spaces, its escapes and the order of its members. When somebody
 * imports an export into Flipt's database, the import rewrites attachments, and such a change is none. A long
 * attachment is compared as it is written.
 */
function attachmentContent(text: string): string {
  if (text === '' || text.length > LONGEST_PART) return text;
  return unlessItThrows(() => canonical(JSON.parse(text), ATTACHMENT)) ?? text;
}

/** The segments are sorted, because Flipt v1 lists the segments of a rule in a different order each time. */
function choiceContent({ segmentKeys, segmentOperator }: SegmentChoice): unknown {
  return [segmentOperator, segmentKeys.toSorted()];
}

/**
 * Returns the semantics that count as part of a flag's content, because they decide how the shares of a rule are
 * divided. If older semantics of v2 divide the flag's shares as the newest ones do, the result is the newest ones. A
 * new release of Flipt then does not change such a flag.
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
 * Members that Flipt writes and evaluation does not read, by their place in the flag. Flipt v2 makes new ids and times
 * for each body. A member of any other name or place may mean something.
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
 * The place of an attachment, which equals no place in a flag. In an attachment, all members matter, and so does the
 * order of lists.
 */
const ATTACHMENT = 'attachment';
/**
 * The places of lists whose order does not matter. Flipt v1 lists segments in another order in each body, and the order
 * of constraints never matters.
 */
const WITHOUT_ORDER = /^(?:\.rules|\.rollouts\.segment)\.segments(?:\.constraints)?$/;
/** A part with more characters than this is replaced by its digest. */
const LONGEST_PART = 4_096;

/**
 * Returns a digest of an unreadable flag. Two flags have the same digest if they differ only in members that evaluation
 * does not read. Throws a RangeError if the flag is nested too deep.
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
