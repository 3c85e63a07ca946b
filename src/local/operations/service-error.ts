/**
 * A request that the service answers with an error body `{ code, message, details }`.
 * `code` is gRPC's number, which goes with the HTTP status.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const invalid = (message: string): ServiceError => new ServiceError(400, 3, message);

export const invalidField = (field: string, wrong: string): ServiceError =>
  invalid(`invalid field ${field}: ${wrong}`);

export const notFound = (message: string): ServiceError => new ServiceError(404, 5, message);

/** One sentence for every way of not being let in: the difference would help only those who guess. */
export const unauthenticated = (): ServiceError => new ServiceError(401, 16, 'request was not authenticated');

export const methodNotAllowed = (): ServiceError => new ServiceError(501, 12, 'Method Not Allowed');

export const tooLarge = (bytes: number): ServiceError =>
  new ServiceError(413, 8, `the request's body is larger than ${bytes} bytes`);

/** The change was not made: what is in memory and on disk is as before. */
export const notSaved = (why: string, cause?: unknown): ServiceError =>
  new ServiceError(500, 13, `the change was not made, because it could not be saved: ${why}`, { cause });

/** The one failure after which a change has been made: it is on disk, but may not survive the machine's sudden end. */
export class UnsureError extends ServiceError {}

export const savedUnsurely = (why: string, cause?: unknown): UnsureError =>
  new UnsureError(500, 13, `the change was made, but may be lost if the machine stops suddenly: ${why}`, {
    cause,
  });
