import type { ErrorCode } from '@openfeature/server-sdk';

export const NOT_STORED = {
  // A cache between the app and the browser must not serve one user's flags to another user.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
export const HEADERS = { ...NOT_STORED, 'content-type': 'application/json; charset=utf-8' };

/**
 * Makes a refusal, which tells the browser why a request gets no values. The text of a refusal always comes from this
 * package, because a provider's message might name addresses and segments, which browsers must not see.
 */
const refusal = (status: number, errorCode: `${ErrorCode}`, errorDetails: string, headers: object = {}) => ({
  status,
  errorCode,
  errorDetails,
  headers,
});
export type OfrepRefusal = Readonly<ReturnType<typeof refusal>>;

/**
 * Makes the response for a refusal. If `key` is given, the refusal is about this flag, and otherwise about the whole
 * request.
 */
export function refused({ status, headers, ...why }: OfrepRefusal, key?: string): Response {
  const body = { ...(key !== undefined && { key }), ...why };
  return new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } });
}

const failure = (errorDetails: string) => refusal(500, 'GENERAL', errorDetails);

// With this header, the response closes the connection. If the connection stayed open, the server would first have to
// read the rest of the request's body.
const closing = { connection: 'close' };

/**
 * The length and the number of attributes are limited, because each attribute can be compared with many constraints, or
 * sent to Flipt with each flag.
 */
export const tooLong = (name: string, most: number, length: number): OfrepRefusal =>
  refusal(400, 'INVALID_CONTEXT', `attribute ${name}: expected at most ${most} characters, got ${length}`);
export const tooMany = (most: number): OfrepRefusal =>
  refusal(400, 'INVALID_CONTEXT', `the context has more than ${most} attributes`);

export const MOST_BODY_BYTES = 65_536;

export const REFUSAL = {
  nothingHere: refusal(404, 'GENERAL', 'there is nothing here'),
  usePost: refusal(405, 'GENERAL', 'use POST', { allow: 'POST' }),
  usePostOrGet: refusal(405, 'GENERAL', 'use POST, or GET for events', { allow: 'POST, GET' }),
  foreignPage: refusal(403, 'GENERAL', 'only pages of this origin get events'),
  tooLarge: refusal(413, 'GENERAL', `the body has more than ${MOST_BODY_BYTES / 1024} kB`, closing),
  late: refusal(408, 'GENERAL', 'the body did not arrive in time', closing),
  noJson: refusal(400, 'PARSE_ERROR', 'the body is not a JSON object'),
  noContext: refusal(400, 'INVALID_CONTEXT', 'the context is not an object'),
  unusableContext: refusal(400, 'INVALID_CONTEXT', 'the context cannot be used'),
  noTargetingKey: refusal(400, 'TARGETING_KEY_MISSING', 'there is no targetingKey'),
  // The answer is the same for a flag that does not exist and for a flag that the browser must not see.
  notFound: refusal(404, 'FLAG_NOT_FOUND', 'there is no such flag'),
  unanswered: failure('there is no answer'),
  noProvider: failure(
    'no FliptProvider is registered here: register one first, or pass it in the option provider of ofrep',
  ),
  noSnapshot: failure(
    'there is no snapshot that lists the flag keys: list them in the option flags of ofrep',
  ),
};
