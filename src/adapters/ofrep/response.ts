import { createHash } from 'node:crypto';
import type { ErrorCode } from '@openfeature/server-sdk';
import type { FlagOutcome } from 'openfeature-flipt-provider';
import { answerOf, valueOfAnyType } from '../../model/value-of-type.js';

export const NOT_STORED = {
  // A cache between the app and the browser must not serve one user's flags to another.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
const HEADERS = { ...NOT_STORED, 'content-type': 'application/json; charset=utf-8' };

/** Fixed texts: a provider's own message could name addresses and segments. */
const refusal = (status: number, errorCode: `${ErrorCode}`, errorDetails: string, headers: object = {}) => ({
  status,
  errorCode,
  errorDetails,
  headers,
});
export type Refusal = Readonly<ReturnType<typeof refusal>>;

/** On an open connection, the server would first read the rest of the body. */
const CLOSING = { connection: 'close' };

export const MOST_BODY_BYTES = 65_536;

export const REFUSAL = {
  nothingHere: refusal(404, 'GENERAL', 'there is nothing here'),
  usePost: refusal(405, 'GENERAL', 'use POST', { allow: 'POST' }),
  usePostOrGet: refusal(405, 'GENERAL', 'use POST, or GET for events', { allow: 'POST, GET' }),
  foreignPage: refusal(403, 'GENERAL', 'only pages of this origin get events'),
  tooLarge: refusal(413, 'GENERAL', `the body has more than ${MOST_BODY_BYTES / 1024} kB`, CLOSING),
  late: refusal(408, 'GENERAL', 'the body did not arrive in time', CLOSING),
  noJson: refusal(400, 'PARSE_ERROR', 'the body is not a JSON object'),
  noContext: refusal(400, 'INVALID_CONTEXT', 'the context is not an object'),
  unusableContext: refusal(400, 'INVALID_CONTEXT', 'the context cannot be used'),
  tooMany: (most: number) => refusal(400, 'INVALID_CONTEXT', `the context has more than ${most} attributes`),
  tooLong: (name: string, most: number, length: number) =>
    refusal(400, 'INVALID_CONTEXT', `attribute ${name}: expected at most ${most} characters, got ${length}`),
  noTargetingKey: refusal(400, 'TARGETING_KEY_MISSING', 'there is no targetingKey'),
  // The same for a flag that does not exist and for one that the browser must not see.
  notFound: refusal(404, 'FLAG_NOT_FOUND', 'there is no such flag'),
  unanswered: refusal(500, 'GENERAL', 'there is no answer'),
  noProvider: refusal(
    500,
    'GENERAL',
    'no FliptProvider is registered here: register one first, or pass it in the option provider of ofrep',
  ),
  noSnapshot: refusal(
    500,
    'GENERAL',
    'there is no snapshot that lists the flag keys: list them in the option flags of ofrep',
  ),
};

/** Without a `key`, the whole request is refused. */
export function refused({ status, headers, ...why }: Refusal, key?: string): Response {
  const body = { ...(key !== undefined && { key }), ...why };
  return new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } });
}

export type IsTyped = (flagKey: string) => boolean;

export function single(key: string, outcome: FlagOutcome | undefined, isTyped: IsTyped): Response {
  if (outcome === undefined || outcome.type === 'missing') return refused(REFUSAL.notFound, key);
  if (outcome.type === 'failed') return refused(REFUSAL.unanswered, key);
  return new Response(JSON.stringify(itemOf(key, outcome, isTyped)), { headers: HEADERS });
}

/**
 * 304 if the browser has this answer already. 500 if every flag has failed, so that it keeps the values that it has.
 */
export function bulk(
  outcomes: ReadonlyMap<string, FlagOutcome>,
  isTyped: IsTyped,
  ifNoneMatch: string | null,
  eventStreams: readonly object[] | undefined,
): Response {
  const existing = [...outcomes].filter(([, { type }]) => type !== 'missing');
  if (existing.length > 0 && existing.every(([, { type }]) => type === 'failed'))
    return refused(REFUSAL.unanswered);
  const flags = existing.map(([key, outcome]) => itemOf(key, outcome, isTyped));
  const body = JSON.stringify({ flags, eventStreams });
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  // A proxy that compresses the answer makes its ETag weak.
  const known = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return known.includes(etag)
    ? new Response(null, { status: 304, headers: { ...NOT_STORED, etag } })
    : new Response(body, { headers: { ...HEADERS, etag } });
}

/** One flag as Flipt's own OFREP writes it: the attachment of an untyped variant is in the metadata. */
function itemOf(key: string, outcome: FlagOutcome, isTyped: IsTyped): object {
  if (outcome.type === 'missing' || outcome.type === 'failed') {
    const { errorCode, errorDetails } = REFUSAL.unanswered;
    return { key, errorCode, errorDetails };
  }
  const reason = reasonOf(outcome.reason);
  // Without a value, the browser uses its own default.
  if (outcome.value === null) return { key, reason };
  const variant = String(outcome.value);
  if (outcome.type === 'boolean') return { key, value: outcome.value, variant, reason };
  const { attachment } = outcome;
  if (isTyped(key)) {
    const value = valueOfAnyType(answerOf({ key: variant, attachment: attachment ?? '' }));
    if (value !== variant) return { key, value, variant, reason };
  }
  return {
    key,
    value: variant,
    variant,
    reason,
    metadata: attachment === undefined ? undefined : { attachment },
  };
}

const REASONS: ReadonlySet<string> = new Set(['TARGETING_MATCH', 'SPLIT', 'DISABLED']);

/** OFREP has no DEFAULT, but STATIC for what does not depend on the context. */
function reasonOf(reason: string): string {
  if (reason === 'DEFAULT') return 'STATIC';
  return REASONS.has(reason) ? reason : 'UNKNOWN';
}
