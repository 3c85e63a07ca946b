import { createHash } from 'node:crypto';
import type { FlagOutcome } from '../index.js';
import { HEADERS, NOT_STORED, notFound, unanswered } from './refusals.js';

export function single(key: string, outcome: FlagOutcome): Response {
  if (outcome.type === 'missing') return notFound(key);
  if (outcome.type === 'failed') return unanswered(key);
  return new Response(JSON.stringify(itemOf(key, outcome)), { headers: HEADERS });
}

/** All flags that exist, or 304 where the browser has them. Without any answer a browser keeps what it has: 500. */
export function bulk(outcomes: ReadonlyMap<string, FlagOutcome>, ifNoneMatch: string | null): Response {
  const existing = [...outcomes].filter(([, { type }]) => type !== 'missing');
  if (existing.length > 0 && existing.every(([, { type }]) => type === 'failed')) return unanswered();
  const body = JSON.stringify({ flags: existing.map(([key, outcome]) => itemOf(key, outcome)) });
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const etag = `"${tag}"`;
  return isKnown(etag, ifNoneMatch)
    ? new Response(null, { status: 304, headers: { ...NOT_STORED, etag } })
    : new Response(body, { headers: { ...HEADERS, etag } });
}

/** Weak tags as well: a proxy that compresses makes a tag weak. */
function isKnown(etag: string, ifNoneMatch: string | null): boolean {
  const known = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return known.includes(etag);
}

/** As in Flipt's own OFREP: the variant's key is the value, its attachment is metadata. */
function itemOf(key: string, outcome: FlagOutcome): object {
  switch (outcome.type) {
    case 'boolean':
      return {
        key,
        value: outcome.value,
        variant: String(outcome.value),
        reason: reasonOf(outcome.reason),
      };
    case 'variant': {
      const reason = reasonOf(outcome.reason);
      // No value: the browser's own default.
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

/** OFREP has no DEFAULT: a flag's own default value depends on nothing. */
function reasonOf(reason: string): string {
  if (reason === 'DEFAULT') return 'STATIC';
  return REASONS.has(reason) ? reason : 'UNKNOWN';
}
