import { createHash } from 'node:crypto';
import type { FlagOutcome } from '../index.js';
import { HEADERS, NOT_STORED, notFound, unanswered } from './refusals.js';
import { typedValue } from './typed-value.js';

/** Whether the value of this flag is its variant's key or the attachment. */
export type IsTyped = (flagKey: string) => boolean;

export interface BulkRequest {
  readonly ifNoneMatch: string | null;
  /** Streams that the answer names; `undefined`: none. */
  readonly eventStreams: readonly object[] | undefined;
}

export function single(key: string, outcome: FlagOutcome, isTyped: IsTyped): Response {
  if (outcome.type === 'missing') return notFound(key);
  if (outcome.type === 'failed') return unanswered(key);
  return new Response(itemOf(key, outcome, isTyped), { headers: HEADERS });
}

/**
 * All existing flags, or 304 if the browser already has them. If no flag has an answer, 500: the browser then keeps
 * what it has.
 */
export function bulk(
  outcomes: ReadonlyMap<string, FlagOutcome>,
  isTyped: IsTyped,
  { ifNoneMatch, eventStreams }: BulkRequest,
): Response {
  const existing = [...outcomes].filter(([, { type }]) => type !== 'missing');
  if (existing.length > 0 && existing.every(([, { type }]) => type === 'failed')) return unanswered();
  const flags = existing.map(([key, outcome]) => itemOf(key, outcome, isTyped)).join(',');
  const streams = eventStreams === undefined ? '' : `,"eventStreams":${JSON.stringify(eventStreams)}`;
  const body = `{"flags":[${flags}]${streams}}`;
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const etag = `"${tag}"`;
  return isKnown(etag, ifNoneMatch)
    ? new Response(null, { status: 304, headers: { ...NOT_STORED, etag } })
    : new Response(body, { headers: { ...HEADERS, etag } });
}

/** Weak tags match, too, because a proxy that compresses makes a tag weak. */
function isKnown(etag: string, ifNoneMatch: string | null): boolean {
  const known = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return known.includes(etag);
}

/** One flag, as JSON. */
function itemOf(key: string, outcome: FlagOutcome, isTyped: IsTyped): string {
  const keyed = keyedItem(key, outcome);
  if (outcome.type !== 'variant' || outcome.value === null || !isTyped(key)) return JSON.stringify(keyed);
  const { value: variant, attachment = '' } = outcome;
  const value = typedValue(variant, attachment);
  if (value === variant) return JSON.stringify(keyed);
  try {
    return JSON.stringify({ key, value, variant, reason: reasonOf(outcome.reason) });
  } catch {
    // An attachment can be nested deeper than JSON can be written. The other flags must not suffer from it.
    return JSON.stringify(keyed);
  }
}

/** As in Flipt's own OFREP: the variant's key is the value, and its attachment is metadata. */
function keyedItem(key: string, outcome: FlagOutcome): object {
  switch (outcome.type) {
    case 'boolean':
      return { key, value: outcome.value, variant: String(outcome.value), reason: reasonOf(outcome.reason) };
    case 'variant': {
      const reason = reasonOf(outcome.reason);
      // Without a value, the browser uses its own default.
      if (outcome.value === null) return { key, reason };
      const { value, attachment } = outcome;
      const metadata = attachment === undefined ? {} : { metadata: { attachment } };
      return { key, value, variant: value, reason, ...metadata };
    }
    case 'failed':
    case 'missing':
      return { key, errorCode: 'GENERAL', errorDetails: 'there is no answer' };
  }
}

const REASONS: ReadonlySet<string> = new Set(['TARGETING_MATCH', 'SPLIT', 'DISABLED']);

/** OFREP has no DEFAULT. STATIC fits, because a flag's own default depends on nothing. */
function reasonOf(reason: string): string {
  if (reason === 'DEFAULT') return 'STATIC';
  return REASONS.has(reason) ? reason : 'UNKNOWN';
}
