/** Why the service refuses a request. */
export type RefusalKind = 'invalid' | 'unauthenticated' | 'not-found' | 'too-large' | 'not-served';

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

/** One sentence for every reason: the difference would help only those who guess. */
export const unauthenticated = (): Refusal => new Refusal('unauthenticated', 'request was not authenticated');

/** What Flipt has and this service has not, or what neither has. */
export const notServed = (message: string): Refusal => new Refusal('not-served', message);

export const tooLarge = (bytes: number): Refusal =>
  new Refusal('too-large', `the request's body is larger than ${bytes} bytes`);
