export const NOT_STORED = {
  // No cache on the way may serve one user's flags to another.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
export const HEADERS = { ...NOT_STORED, 'content-type': 'application/json; charset=utf-8' };

/** The error codes of OpenFeature that OFREP has, too. */
type OfrepErrorCode =
  | 'FLAG_NOT_FOUND'
  | 'GENERAL'
  | 'INVALID_CONTEXT'
  | 'PARSE_ERROR'
  | 'TARGETING_KEY_MISSING';

/** Why a request gets no values. */
export interface OfrepRefusal {
  readonly status: number;
  readonly errorCode: OfrepErrorCode;
  /** Our own words: a provider's message may name addresses and segments. */
  readonly errorDetails: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A response without values, about one flag or about the whole request. */
export function refused({ status, headers, ...why }: OfrepRefusal, key?: string): Response {
  const body = { ...(key !== undefined && { key }), ...why };
  return new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } });
}

function refusal(
  status: number,
  errorCode: OfrepErrorCode,
  errorDetails: string,
  headers: Readonly<Record<string, string>> = {},
): OfrepRefusal {
  return { status, errorCode, errorDetails, headers };
}

const NO_SUCH_FLAG = refusal(404, 'FLAG_NOT_FOUND', 'there is no such flag');
const NO_ANSWER = refusal(500, 'GENERAL', 'there is no answer');

/** The same for a flag that does not exist and for one that the browser may not see. */
export const notFound = (key: string) => refused(NO_SUCH_FLAG, key);

export const unanswered = (key?: string) => refused(NO_ANSWER, key);

export const NOTHING_HERE = refusal(404, 'GENERAL', 'there is nothing here');
export const USE_POST = refusal(405, 'GENERAL', 'use POST', { allow: 'POST' });
export const USE_POST_OR_GET = refusal(405, 'GENERAL', 'use POST, or GET for events', { allow: 'POST, GET' });
export const FOREIGN_PAGE = refusal(403, 'GENERAL', 'only pages of this origin get events');
export const NO_PROVIDER = refusal(
  500,
  'GENERAL',
  'no FliptProvider is registered here: the option provider of ofrep names one',
);
export const NO_SNAPSHOT = refusal(
  500,
  'GENERAL',
  'there is no snapshot to take the flag keys from: the option flags of ofrep may list them',
);
export const UNUSABLE = refusal(400, 'INVALID_CONTEXT', 'the context cannot be used');
export const NO_TARGETING_KEY = refusal(400, 'TARGETING_KEY_MISSING', 'there is no targetingKey');

// Closes the connection: the rest of the body must not be read as the next request.
const closing = { connection: 'close' };
export const TOO_LARGE = refusal(413, 'GENERAL', 'the body has more than 64 kB', closing);
export const LATE = refusal(408, 'GENERAL', 'the body did not arrive', closing);

export const NO_JSON = refusal(400, 'PARSE_ERROR', 'the body is not a JSON object');
export const NO_CONTEXT = refusal(400, 'INVALID_CONTEXT', 'the context is not an object');
