export const NOT_STORED = {
  // One user's flags must not be served to another, by no cache on the way.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
export const HEADERS = { ...NOT_STORED, 'content-type': 'application/json; charset=utf-8' };

/** Codes of OpenFeature that OFREP has. */
type OfrepErrorCode =
  'FLAG_NOT_FOUND' | 'GENERAL' | 'INVALID_CONTEXT' | 'PARSE_ERROR' | 'TARGETING_KEY_MISSING';

/** Why a request gets no values. */
export interface OfrepRefusal {
  readonly status: number;
  readonly errorCode: OfrepErrorCode;
  /** Ours: what a provider says may name addresses and segments. */
  readonly errorDetails: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer without values, about one flag or about the whole request. */
export function refused({ status, headers, ...why }: OfrepRefusal, key?: string): Response {
  const body = { ...(key !== undefined && { key }), ...why };
  return new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } });
}

const NO_SUCH_FLAG: OfrepRefusal = {
  status: 404,
  errorCode: 'FLAG_NOT_FOUND',
  errorDetails: 'there is no such flag',
};
const NO_ANSWER: OfrepRefusal = { status: 500, errorCode: 'GENERAL', errorDetails: 'there is no answer' };

/** The same for a flag that does not exist and for one that the browser may not see. */
export const notFound = (key: string) => refused(NO_SUCH_FLAG, key);

export const unanswered = (key?: string) => refused(NO_ANSWER, key);

export const NOTHING_HERE: OfrepRefusal = {
  status: 404,
  errorCode: 'GENERAL',
  errorDetails: 'there is nothing here',
};
export const USE_POST: OfrepRefusal = {
  status: 405,
  errorCode: 'GENERAL',
  errorDetails: 'use POST',
  headers: { allow: 'POST' },
};
export const NO_PROVIDER: OfrepRefusal = {
  status: 500,
  errorCode: 'GENERAL',
  errorDetails: 'no FliptProvider is registered here: the option provider of ofrep names one',
};
export const NO_SNAPSHOT: OfrepRefusal = {
  status: 500,
  errorCode: 'GENERAL',
  errorDetails: 'there is no snapshot to take the flag keys from: the option flags of ofrep may list them',
};
export const UNUSABLE: OfrepRefusal = {
  status: 400,
  errorCode: 'INVALID_CONTEXT',
  errorDetails: 'the context cannot be used',
};
export const NO_TARGETING_KEY: OfrepRefusal = {
  status: 400,
  errorCode: 'TARGETING_KEY_MISSING',
  errorDetails: 'there is no targetingKey',
};

// What is still to come of the body must not be taken for a next request.
const closing = { connection: 'close' };
export const TOO_LARGE: OfrepRefusal = {
  status: 413,
  errorCode: 'GENERAL',
  errorDetails: 'the body has more than 64 kB',
  headers: closing,
};
export const LATE: OfrepRefusal = {
  status: 408,
  errorCode: 'GENERAL',
  errorDetails: 'the body did not arrive',
  headers: closing,
};

export const NO_JSON: OfrepRefusal = {
  status: 400,
  errorCode: 'PARSE_ERROR',
  errorDetails: 'the body is not a JSON object',
};
export const NO_CONTEXT: OfrepRefusal = {
  status: 400,
  errorCode: 'INVALID_CONTEXT',
  errorDetails: 'the context is not an object',
};
