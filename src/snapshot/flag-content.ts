import { nodeModules } from '../base/node-modules.js';
import { isSharedEqually } from '../engine/buckets.js';
import type { Flag, Rule, Segment, SegmentChoice, Semantics, VariantFlag } from '../engine/features.js';
import { rulesInForce, sharesIn, variantOf } from '../engine/parts-in-force.js';
import { isV2, NEWEST_V2 } from '../engine/version-differences.js';
import { unlessItThrows } from '../base/text/describe.js';

/**
 * A flag that differs between two snapshots. `before` is a digest of the flag's content in the earlier snapshot, and
 * `after` is a digest of the flag's content in the later snapshot. If a snapshot does not have the flag, the flag's
 * digest for that snapshot is `undefined`.
 */
export interface FlagChange {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Returns a single digest of all flags of a snapshot. `contents` maps the key of each flag to the digest of the flag's
 * content.
 */
export function digestOf(contents: ReadonlyMap<string, string | undefined>): string {
  return digest(JSON.stringify([...contents].sort(([left], [right]) => (left < right ? -1 : 1))));
}

/**
 * Returns the name under which a snapshot's features hold a segment. The name consists of the segment's key and a
 * digest of the segment's content. A snapshot repeats a segment in each rule and rollout that uses the segment. Two
 * copies of a segment can differ, because Flipt v1 reads each copy from its database, and somebody may edit the segment
 * between these reads. Because the name contains a digest of the content, copies that differ get different names. The
 * order of the constraints does not change the name, because the order has no effect on evaluation.
 */
export function segmentName({ key, matchType, constraints }: Segment): string {
  const conditions = constraints.map(({ type, property, operator, value }) =>
    JSON.stringify([type, property, operator, value]),
  );
  return `${key}\0${digest(JSON.stringify([matchType, conditions.sort()]))}`;
}

/**
 * Returns the digest of a flag's content. The digest also covers the content of the flag's segments, because {@link
 * segmentName} puts a digest of this content into the segments' names.
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
 * Returns an attachment in a canonical form, in which spaces, escapes and the order of members make no difference.
 * Flipt rewrites attachments when a file is imported into its database, and this rewriting must not count as a change
 * of the flag. An attachment that is long, is no JSON or is nested too deep is returned unchanged.
 */
function attachmentContent(text: string): string {
  if (text === '' || text.length > LONGEST_PART) return text;
  return unlessItThrows(() => canonical(JSON.parse(text), ATTACHMENT)) ?? text;
}

/** The segment keys are sorted, because Flipt v1 can list the segments of a rule in another order in each body. */
function choiceContent({ segmentKeys, segmentOperator }: SegmentChoice): unknown {
  return [segmentOperator, segmentKeys.toSorted()];
}

/**
 * Returns the semantics (evaluation rules) that count as part of a flag's content. Semantics count as content, because
 * they decide how a rule divides its entities among the variants. If the semantics of an older Flipt v2 divide the
 * entities of this flag as the newest semantics do, the function returns the newest semantics, so that an upgrade of
 * Flipt does not count as a change of the flag.
 */
export function namedSemantics(flag: Flag, semantics: Semantics): Semantics {
  if (!isV2(semantics)) return semantics;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return NEWEST_V2;
  const isSame = ({ distributions }: Rule) => isSharedEqually(sharesIn(distributions), semantics, NEWEST_V2);
  return rulesInForce(flag).every(isSame) ? NEWEST_V2 : semantics;
}

function digest(text: string): string {
  return nodeModules.crypto.createHash('sha1').update(text).digest('base64url');
}

/**
 * Members that Flipt writes but evaluation does not read, by their place in the flag. The comparison of unreadable
 * flags ignores these members. Flipt v2 writes new ids and times into each body. Every member of an unreadable flag
 * that is not in this map counts as content, because it may have a meaning that this version of the package does not
 * know.
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
 * The value of `place` with which `canonical` is called for an attachment. `WITHOUT_EFFECT` and `WITHOUT_ORDER` contain
 * no place that begins with `attachment`, so all members of an attachment and the order of its lists count as content.
 */
const ATTACHMENT = 'attachment';
/**
 * Matches the places of lists whose order does not count as content. Flipt v1 can list segments in another order in
 * each body, and the order of constraints has no effect on evaluation.
 */
const WITHOUT_ORDER = /^(?:\.rules|\.rollouts\.segment)\.segments(?:\.constraints)?$/;
/**
 * In the canonical form of an unreadable flag, a digest replaces each part that has more characters than this. An
 * attachment with more characters gets no canonical form.
 */
const LONGEST_PART = 4_096;

/**
 * Returns a digest of an unreadable flag. Two unreadable flags have the same digest if they differ only in the members
 * that `WITHOUT_EFFECT` lists, or in the order of segments, of constraints or of JSON members. The function throws a
 * RangeError if the flag is nested too deep.
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
