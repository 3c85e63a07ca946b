import { createHash } from 'node:crypto';
import { isSharedEqually } from '../engine/buckets.js';
import type { Flag, Rule, Segment, SegmentChoice, Semantics, VariantFlag } from '../engine/features.js';
import { rulesInForce, sharesIn, variantOf } from '../engine/parts-in-force.js';
import { isV2, NEWEST_V2 } from '../engine/version-differences.js';
import { unlessItThrows } from '../base/text/describe.js';

/** A flag that differs between two snapshots: a digest of its content in each; `undefined` where there is no such flag. */
export interface FlagChange {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A digest of all flags, by key: of what evaluation reads of each, including its segments and variants. */
export function digestOf(contents: ReadonlyMap<string, string | undefined>): string {
  return digest(JSON.stringify([...contents].sort(([left], [right]) => (left < right ? -1 : 1))));
}

/**
 * The name under which a snapshot's features hold a segment: its key and a digest of its content. A snapshot repeats a
 * segment in each rule. Two copies may differ, because v1 reads them one by one while somebody may edit them: then no
 * rule gets another rule's copy. The order of constraints does not matter: all are needed, or any is enough.
 */
export function segmentName({ key, matchType, constraints }: Segment): string {
  const conditions = constraints.map(({ type, property, operator, value }) =>
    JSON.stringify([type, property, operator, value]),
  );
  return `${key}\0${digest(JSON.stringify([matchType, conditions.sort()]))}`;
}

/** The digest of a flag's content. Its segments are named as {@link segmentName} does. */
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

/** Sorted, because v1 lists the segments of a rule in a different order each time. */
function choiceContent({ segmentKeys, segmentOperator }: SegmentChoice): unknown {
  return [segmentOperator, segmentKeys.toSorted()];
}

/**
 * The semantics are part of the content, because they decide how the shares of a rule are divided. If the older ones of
 * v2 divide a flag's shares as the newest do, the newest stand for them: a new release of Flipt does not change such a
 * flag.
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
 * Members that Flipt writes and that evaluation does not read, by their place in the flag. v2 makes new ids and times
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
/** No place in a flag: in an attachment, all members and their order in lists matter. */
const ATTACHMENT = 'attachment';
/** v1 lists segments in another order in each body; the order of constraints never matters. */
const WITHOUT_ORDER = /^(?:\.rules|\.rollouts\.segment)\.segments(?:\.constraints)?$/;
/** A longer part is replaced by its digest. */
const LONGEST_PART = 4_096;

/**
 * A digest of what may matter: equal for two flags between which nothing else has changed. Throws a RangeError if the
 * flag is nested too deep.
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
