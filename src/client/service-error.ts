/** gRPC's status names, by which the service tells its failures apart. */
export type GrpcCode =
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'UNAUTHENTICATED';

/** What a {@link FliptServiceError} tells besides its message. */
export interface FliptServiceErrorFacts {
  /** See {@link FliptServiceError.code}. */
  readonly code: GrpcCode;
  /** The HTTP status. Default: none, as no answer came. */
  readonly status?: number | undefined;
  /** What the service sent as `details`. Default: nothing. */
  readonly details?: readonly unknown[] | undefined;
  /** As the client names it: `segments.create`. */
  readonly operation: string;
  /** What was asked, with its query. */
  readonly url: string;
  /** What the network said. Default: none. */
  readonly cause?: Error | undefined;
}

/**
 * An operation that the service refused, could not be asked for, or answered with something unreadable. Its message is
 * the service's own where there is one. It never holds a credential.
 *
 * Where the ESM and the CommonJS build of this package may meet in one process, tell it from other errors by its `name`,
 * not by `instanceof`: each build has a class of its own.
 */
export class FliptServiceError extends Error {
  /** What tells this error from others, whichever build it comes from. */
  declare readonly name: 'FliptServiceError';
  /**
   * The gRPC code that the service sent, or else the one that its HTTP status stands for. Without an answer:
   * `UNAVAILABLE` the connection failed, `DEADLINE_EXCEEDED` it took longer than `http.timeoutMs`, `CANCELLED` the
   * client was closed, `UNAUTHENTICATED` there were no credentials to send. `INTERNAL` with status 200: an answer that
   * cannot be read. `UNIMPLEMENTED`: the service does not offer the operation.
   */
  readonly code: GrpcCode;
  /** The HTTP status; `undefined` where no answer came. */
  readonly status: number | undefined;
  /** What the service sent as `details`, most often nothing; without the credentials that it may repeat. */
  readonly details: readonly unknown[];
  /** As the client names it: `segments.create`. */
  readonly operation: string;
  /** What was asked, with its query. */
  readonly url: string;

  static {
    // On the prototype, so that the stack, written while the error is made, begins with it.
    Object.defineProperty(this.prototype, 'name', { value: 'FliptServiceError' });
  }

  /** For tests of code that handles it; otherwise the client makes it. */
  constructor(
    message: string,
    { code, status, details = [], operation, url, cause }: FliptServiceErrorFacts,
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = status;
    this.details = details;
    this.operation = operation;
    this.url = url;
  }
}
