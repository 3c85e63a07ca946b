import { quoted } from '../../text/quote.js';

/** Why the service refuses a request. */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'too-large'
  | 'not-json'
  | 'not-served';

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

/** One sentence for every reason: the difference would help only people who guess tokens. */
export const unauthenticated = (): Refusal => new Refusal('unauthenticated', 'request was not authenticated');

/** What Flipt has and this service has not, or what neither has. */
export const notServed = (message: string): Refusal => new Refusal('not-served', message);

export const tooLarge = (message: string): Refusal => new Refusal('too-large', message);

export const forbidden = (message: string): Refusal => new Refusal('forbidden', message);

export const notJson = (type: string): Refusal =>
  new Refusal('not-json', `expected Content-Type application/json or none, got ${quoted(type)}`);

/** A method that HTTP's core does not know. */
export const methodNotAllowed = (): Refusal => new Refusal('method-not-allowed', 'Method Not Allowed');
