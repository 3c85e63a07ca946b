/** gRPC's names for kinds of failure, which the service uses. */
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

/** What a {@link FliptServiceError} holds besides its message. */
export interface FliptServiceErrorFacts {
  /** See {@link FliptServiceError.code}. */
  readonly code: GrpcCode;
  /** The HTTP status. Default: none, because no response came. */
  readonly status?: number | undefined;
  /** The service's `details`. Default: an empty list. */
  readonly details?: readonly unknown[] | undefined;
  /** The client's name for it: `segments.create`. */
  readonly operation: string;
  /** The address that was requested, with its query. */
  readonly url: string;
  /** The network's error. Default: none. */
  readonly cause?: Error | undefined;
}

/**
 * An operation failed: the service refused it, could not be reached, or returned an unreadable response. It never holds
 * a credential. A body of an error of more than 256 kB is not read.
 *
 * Recognise it by its `name` if the ESM and the CommonJS build of this package may meet in one process: `instanceof`
 * fails there, because each build has its own class.
 */
export class FliptServiceError extends Error {
  /** The same in both builds. */
  declare readonly name: 'FliptServiceError';
  /**
   * The service's gRPC code, else the one that fits the HTTP status. Without a response: `UNAVAILABLE` the connection
   * failed, `DEADLINE_EXCEEDED` it took longer than `http.timeoutMs`, `CANCELLED` the client was closed,
   * `UNAUTHENTICATED` there were no credentials to send. `INTERNAL` with status 200: the response is unreadable.
   * `UNIMPLEMENTED`: the service does not have the operation.
   */
  readonly code: GrpcCode;
  /** The HTTP status; `undefined` if no response came. */
  readonly status: number | undefined;
  /** The service's `details`, usually an empty list; credentials in them are redacted. */
  readonly details: readonly unknown[];
  /** The client's name for it: `segments.create`. */
  readonly operation: string;
  /** The address that was requested, with its query. */
  readonly url: string;

  static {
    // On the prototype: the stack, which is written before the constructor ends, then begins with it.
    Object.defineProperty(this.prototype, 'name', { value: 'FliptServiceError' });
  }

  /** For tests of code that handles such errors; the client creates all others. */
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
