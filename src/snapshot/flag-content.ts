import { createHash } from 'node:crypto';
import { isSharedEqually } from '../engine/buckets.js';
import type { Flag, Rule, Segment, SegmentChoice, Semantics, VariantFlag } from '../engine/features.js';
import { rulesInForce, sharesIn, variantOf } from '../engine/parts-in-force.js';
import { isV2, NEWEST_V2 } from '../engine/version-differences.js';
import { parsedJson } from '../base/text/json.js';
import { atOnce, type Steps } from '../base/time/pausable-steps.js';

/** By flag key: a digest of everything that evaluation reads of the flag, including its segments and variants. */
export type Contents = ReadonlyMap<string, string>;

export type SegmentContent = (key: string) => string;

/** The keys of the flags that differ, are new, or are gone; sorted. */
export function changes(before: Contents, after: Contents): readonly string[] {
  const flags: string[] = [];
  for (const [key, content] of after) if (before.get(key) !== content) flags.push(key);
  for (const key of before.keys()) if (!after.has(key)) flags.push(key);
  return flags.sort();
}

/** Used instead of an ETag if there is none. */
export function digestOf(contents: Contents): string {
  return digest(JSON.stringify([...contents].sort(([left], [right]) => (left < right ? -1 : 1))));
}

/** Sorted, because the order of a segment's constraints does not matter: all are needed, or any is enough. */
export function segmentContent({ key, matchType, constraints }: Segment): string {
  const conditions = constraints.map(({ type, property, operator, value }) =>
    JSON.stringify([type, property, operator, value]),
  );
  return JSON.stringify([key, matchType, conditions.sort()]);
}

/** The digest of a flag's content, in steps. */
export function* flagContent(flag: Flag, segment: SegmentContent, semantics: Semantics): Steps<string> {
  const hash = createHash('sha1');
  let text = '';
  for (const part of contentTexts(flag, segment, semantics)) {
    text += part;
    if (text.length < HASHED_AT_ONCE) continue;
    hash.update(text);
    text = '';
    yield;
  }
  return hash.update(text).digest('base64url');
}

/** As long a text is hashed at once: a hash costs about a microsecond for each call. */
const HASHED_AT_ONCE = 4_096;

/** Everything that evaluation reads of a flag: lists in JSON, because a flag may be long. */
function* contentTexts(flag: Flag, segment: SegmentContent, semantics: Semantics): Generator<string> {
  yield JSON.stringify([flag.type, flag.enabled]);
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    for (const rollout of flag.rollouts) {
      const share = rollout.kind === 'threshold' ? rollout.percentage : choiceContent(rollout, segment);
      yield JSON.stringify([rollout.value, share]);
    }
    return;
  }
  yield JSON.stringify([namedSemantics(flag, semantics), variantContent(flag, flag.defaultVariantId)]);
  for (const rule of flag.rules) {
    yield JSON.stringify(choiceContent(rule, segment));
    for (const { variantId, rollout } of rule.distributions)
      yield JSON.stringify([variantContent(flag, variantId), rollout]);
  }
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
  const value = parsedJson(text);
  return value === undefined ? text : atOnce(canonical(value, ATTACHMENT));
}

/** Sorted, because v1 lists the segments of a rule in a different order each time. */
function choiceContent({ segmentKeys, segmentOperator }: SegmentChoice, segment: SegmentContent): unknown {
  return [segmentOperator, segmentKeys.map(segment).sort()];
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

/** A digest of what may matter, in steps: equal for two flags between which nothing else has changed. */
export function* unreadableContent(json: unknown): Steps<string> {
  return digest(`unreadable ${yield* canonical(json, '')}`);
}

function* canonical(value: unknown, place: string): Steps<string> {
  yield;
  if (typeof value !== 'object' || value === null) return short(JSON.stringify(value));
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* canonical(item, place));
    if (WITHOUT_ORDER.test(place)) parts.sort();
    return short(`[${parts.join()}]`);
  }
  const ignored = WITHOUT_EFFECT.get(place);
  for (const [name, member] of Object.entries(value)) {
    if (ignored?.has(name)) continue;
    parts.push(`${JSON.stringify(name)}:${yield* canonical(member, `${place}.${name}`)}`);
  }
  return short(`{${parts.sort().join()}}`);
}

function short(part: string): string {
  return part.length > LONGEST_PART ? digest(part) : part;
}
