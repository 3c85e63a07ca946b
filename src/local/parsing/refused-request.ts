import { quoted } from '../../base/text/describe.js';

/** The reasons for which the service refuses a request. Each reason has an HTTP status and a gRPC code. */
export const REFUSALS = {
  invalid: { status: 400, code: 3 },
  unauthenticated: { status: 401, code: 16 },
  forbidden: { status: 403, code: 7 },
  'not-found': { status: 404, code: 5 },
  'method-not-allowed': { status: 405, code: 12 },
  'too-large': { status: 413, code: 8 },
  'not-json': { status: 415, code: 3 },
  'not-served': { status: 501, code: 12 },
} as const;

export type RefusalKind = keyof typeof REFUSALS;

/** The service throws this error to refuse a request. The client gets the error's message. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message);
  }
}

export const invalid = (message: string): Refusal => new Refusal('invalid', message);

export const invalidField = (field: string, wrong: string): Refusal =>
  invalid(`invalid field ${field}: ${wrong}`);

export const notFound = (message: string): Refusal => new Refusal('not-found', message);

/**
 * The message does not say why the service refuses a token, because a more exact message would help people who guess
 * tokens.
 */
export const unauthenticated = (): Refusal => new Refusal('unauthenticated', 'request was not authenticated');

/**
 * Creates the error for a request that the service cannot answer although it has a route with the path of the request,
 * for example because of the method.
 */
export const notServed = (message: string): Refusal => new Refusal('not-served', message);

export const tooLarge = (message: string): Refusal => new Refusal('too-large', message);

export const forbidden = (message: string): Refusal => new Refusal('forbidden', message);

/**
 * On a route that accepts only JSON, a POST request from a web page must have a Content-Type. Clients other than web
 * pages can leave the Content-Type out.
 */
export const notJson = (type: string | undefined): Refusal => {
  const got = type === undefined ? ', got none' : ` or none, got ${quoted(type)}`;
  return new Refusal('not-json', `expected Content-Type application/json${got}`);
};

/** Creates the error for an HTTP method that Node's server accepts, but that Flipt does not know. */
export const methodNotAllowed = (): Refusal => new Refusal('method-not-allowed', 'Method Not Allowed');
