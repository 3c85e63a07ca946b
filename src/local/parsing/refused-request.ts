import { quoted } from '../../base/text/describe.js';

/** Why the service refuses a request, with the HTTP status, and gRPC's number that belongs to it. */
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

/** A request that the service refuses. Its message is the answer's. */
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

/** The same sentence for every reason: a difference would only help people who guess tokens. */
export const unauthenticated = (): Refusal => new Refusal('unauthenticated', 'request was not authenticated');

/** Something that Flipt has and this service does not, or that neither has. */
export const notServed = (message: string): Refusal => new Refusal('not-served', message);

export const tooLarge = (message: string): Refusal => new Refusal('too-large', message);

export const forbidden = (message: string): Refusal => new Refusal('forbidden', message);

/** Only a page needs a type. */
export const notJson = (type: string | undefined): Refusal => {
  const got = type === undefined ? ', got none' : ` or none, got ${quoted(type)}`;
  return new Refusal('not-json', `expected Content-Type application/json${got}`);
};

/** A method that Node's HTTP server accepts, but the service does not know. */
export const methodNotAllowed = (): Refusal => new Refusal('method-not-allowed', 'Method Not Allowed');
