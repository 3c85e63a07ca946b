import { quoted } from '../../base/text/describe.js';

/** Why the service refuses a request, each with the HTTP status and the gRPC code that belongs to it. */
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

/** Operations throw this error to refuse a request. The client gets the error's message. */
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

/** The message is the same for every reason, because a more exact one would help people who guess tokens. */
export const unauthenticated = (): Refusal => new Refusal('unauthenticated', 'request was not authenticated');

/** The operation is one that Flipt has and this service does not have, or that neither has. */
export const notServed = (message: string): Refusal => new Refusal('not-served', message);

export const tooLarge = (message: string): Refusal => new Refusal('too-large', message);

export const forbidden = (message: string): Refusal => new Refusal('forbidden', message);

/** Only a request from a page must have a Content-Type. Other clients may leave it out. */
export const notJson = (type: string | undefined): Refusal => {
  const got = type === undefined ? ', got none' : ` or none, got ${quoted(type)}`;
  return new Refusal('not-json', `expected Content-Type application/json${got}`);
};

/** Node's HTTP server accepts the method, but the service does not know it. */
export const methodNotAllowed = (): Refusal => new Refusal('method-not-allowed', 'Method Not Allowed');
