import { nodeModules } from '../../base/node-modules.js';
import type { FlagOutcome } from 'openfeature-flipt-provider';
import { systemClock } from '../../base/time/clock.js';
import { pausing } from '../../base/time/pausable-steps.js';
import { HEADERS, NOT_STORED, REFUSAL, refused } from './refusals.js';
import { answerOf, valueOfAnyType } from '../../model/value-of-type.js';

/**
 * Returns whether the browser gets the variant's attachment, if possible, as the value of a flag (true), or the
 * variant's key (false).
 */
export type IsTyped = (flagKey: string) => boolean;

export function single(key: string, outcome: FlagOutcome | undefined, isTyped: IsTyped): Response {
  if (outcome === undefined || outcome.type === 'missing') return refused(REFUSAL.notFound, key);
  if (outcome.type === 'failed') return refused(REFUSAL.unanswered, key);
  return new Response(itemOf(key, outcome, isTyped), { headers: HEADERS });
}

/** About how many characters of JSON the handler writes in a millisecond if it has to parse the attachments first. */
const CHARACTERS_PER_MS = 25_000;
/** Besides the time for its JSON text, each flag takes as much time as this many characters of JSON. */
const CHARACTERS_OF_FLAG = 100;

/**
 * Answers with all flags that exist, or with 304 if the browser already has this answer. If the evaluations of all
 * flags failed, apart from flags that do not exist, the response is a 500, so that the browser keeps the values that it
 * has. The answer names the `eventStreams`, if there are any.
 */
export async function bulk(
  outcomes: ReadonlyMap<string, FlagOutcome>,
  isTyped: IsTyped,
  ifNoneMatch: string | null,
  eventStreams: readonly object[] | undefined,
): Promise<Response> {
  const existing = [...outcomes].filter(([, { type }]) => type !== 'missing');
  if (existing.length > 0 && existing.every(([, { type }]) => type === 'failed'))
    return refused(REFUSAL.unanswered);
  const streams = eventStreams === undefined ? '' : `,"eventStreams":${JSON.stringify(eventStreams)}`;
  const hash = nodeModules.crypto.createHash('sha256').update(streams);
  const flags: string[] = [];
  const pause = pausing(CHARACTERS_PER_MS, systemClock);
  for (const [key, outcome] of existing) {
    const flag = itemOf(key, outcome, isTyped);
    flags.push(flag);
    hash.update(flag);
    await pause(CHARACTERS_OF_FLAG + flag.length);
  }
  const body = `{"flags":[${flags.join(',')}]${streams}}`;
  const etag = `"${hash.digest('base64url').slice(0, 22)}"`;
  return isKnown(etag, ifNoneMatch)
    ? new Response(null, { status: 304, headers: { ...NOT_STORED, etag } })
    : new Response(body, { headers: { ...HEADERS, etag } });
}

/**
 * Returns whether the browser already has the answer with this ETag. A weak ETag counts as equal to a strong one,
 * because a proxy that compresses a response makes the ETag of the response weak.
 */
function isKnown(etag: string, ifNoneMatch: string | null): boolean {
  const tags = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag);
}

/**
 * Writes one flag as JSON. For a variant flag, if `isTyped` returns false, the value is the variant's key, and the
 * attachment is in the metadata, as in Flipt's own OFREP.
 */
function itemOf(key: string, outcome: FlagOutcome, isTyped: IsTyped): string {
  if (outcome.type === 'missing' || outcome.type === 'failed') {
    const { errorCode, errorDetails } = REFUSAL.unanswered;
    return JSON.stringify({ key, errorCode, errorDetails });
  }
  const reason = reasonOf(outcome.reason);
  // A browser that gets no value uses its own default.
  if (outcome.value === null) return JSON.stringify({ key, reason });
  const variant = String(outcome.value);
  const attachment = outcome.type === 'variant' ? outcome.attachment : undefined;
  const metadata = attachment === undefined ? {} : { metadata: { attachment } };
  const keyed = JSON.stringify({ key, value: outcome.value, variant, reason, ...metadata });
  if (outcome.type === 'boolean' || !isTyped(key)) return keyed;
  const value = valueOfAnyType(answerOf({ key: variant, attachment: attachment ?? '' }));
  return value === variant ? keyed : JSON.stringify({ key, value, variant, reason });
}

const REASONS: ReadonlySet<string> = new Set(['TARGETING_MATCH', 'SPLIT', 'DISABLED']);

/**
 * Returns the reason that OFREP has for a reason of the provider. OFREP has no reason DEFAULT, so STATIC replaces it:
 * the default value of a flag does not depend on the context.
 */
function reasonOf(reason: string): string {
  if (reason === 'DEFAULT') return 'STATIC';
  return REASONS.has(reason) ? reason : 'UNKNOWN';
}
