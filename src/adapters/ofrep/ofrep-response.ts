import { createHash } from 'node:crypto';
import type { FlagOutcome } from '../../index.js';
import { systemClock } from '../../base/time/clock.js';
import { pausing } from '../../base/time/pausable-steps.js';
import { HEADERS, NOT_STORED, REFUSAL, refused } from './refusals.js';
import { answerOf, valueOfAnyType } from '../../model/value-of-type.js';

/** Whether the value of this flag is its variant's key or the attachment. */
export type IsTyped = (flagKey: string) => boolean;

export function single(key: string, outcome: FlagOutcome | undefined, isTyped: IsTyped): Response {
  if (outcome === undefined || outcome.type === 'missing') return refused(REFUSAL.notFound, key);
  if (outcome.type === 'failed') return refused(REFUSAL.unanswered, key);
  return new Response(itemOf(key, outcome, isTyped), { headers: HEADERS });
}

/** Characters of an answer that are written in a millisecond if their attachments are parsed first. */
const CHARACTERS_PER_MS = 25_000;
/** A flag costs as much as so many characters, besides its own. */
const CHARACTERS_OF_FLAG = 100;

/**
 * All existing flags, or 304 if the browser already has them. If no flag has an answer, 500: the browser then keeps
 * what it has. The answer names the `eventStreams`.
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
  const hash = createHash('sha256').update(streams);
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

/** Weak tags match, too, because a proxy that compresses makes a tag weak. */
function isKnown(etag: string, ifNoneMatch: string | null): boolean {
  const known = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return known.includes(etag);
}

/** One flag, as JSON. As in Flipt's own OFREP, the variant's key is the value, and its attachment is metadata. */
function itemOf(key: string, outcome: FlagOutcome, isTyped: IsTyped): string {
  if (outcome.type === 'missing' || outcome.type === 'failed') {
    const { errorCode, errorDetails } = REFUSAL.unanswered;
    return JSON.stringify({ key, errorCode, errorDetails });
  }
  const reason = reasonOf(outcome.reason);
  // Without a value, the browser uses its own default.
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

/** OFREP has no DEFAULT. STATIC fits, because a flag's own default depends on nothing. */
function reasonOf(reason: string): string {
  if (reason === 'DEFAULT') return 'STATIC';
  return REASONS.has(reason) ? reason : 'UNKNOWN';
}
