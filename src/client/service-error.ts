/** The names that gRPC, and so Flipt, has for kinds of failures. */
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
  /** The kind of failure, as {@link FliptServiceError.code} describes it. */
  readonly code: GrpcCode;
  /** The HTTP status. Default: none, which means that no response came. */
  readonly status?: number | undefined;
  /** The `details` of Flipt's error. Default: an empty list. */
  readonly details?: readonly unknown[] | undefined;
  /** The name of the operation in the client, such as `segments.create`. */
  readonly operation: string;
  /** The address that was requested, with its query. */
  readonly url: string;
  /** The error of the network. Default: none. */
  readonly cause?: Error | undefined;
}

/**
 * An operation of the client has failed: Flipt refused it, could not be reached, or returned an unreadable response.
 * The error never contains a credential. If an error response has a body of more than 256 kB, the client does not read
 * the body.
 *
 * Recognise this error by its `name` if your process might load both the ESM and the CommonJS build of this package:
 * each build has its own class, so `instanceof` can be `false` in a process that loads both builds.
 */
export class FliptServiceError extends Error {
  /** The name of the class, which is the same in both builds. */
  declare readonly name: 'FliptServiceError';
  /**
   * Flipt's gRPC code, or else the code that fits the HTTP status. If there is no response, the code is `UNAVAILABLE`
   * (the connection failed), `DEADLINE_EXCEEDED` (no response came in time), `CANCELLED` (the client was closed) or
   * `UNAUTHENTICATED` (there were no credentials to send). `INTERNAL` with status 200 means that the response is
   * unreadable, and `UNIMPLEMENTED` that this Flipt does not offer the operation.
   */
  readonly code: GrpcCode;
  /** The HTTP status. It is `undefined` if no response came. */
  readonly status: number | undefined;
  /** The `details` of Flipt's error, usually an empty list. Credentials in the details are redacted. */
  readonly details: readonly unknown[];
  /** The name of the operation in the client, such as `segments.create`. */
  readonly operation: string;
  /** The address that was requested, with its query. */
  readonly url: string;

  static {
    // The name is on the prototype, because the stack begins with the name and is written before the constructor ends.
    Object.defineProperty(this.prototype, 'name', { value: 'FliptServiceError' });
  }

  /**
   * Creates an error, for tests of code that handles such errors. The client itself creates all other errors of this
   * class.
   */
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
