/** The error codes of gRPC, by which Flipt names the kind of a failure. */
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

/** The members of a {@link FliptServiceError} besides its message. */
export interface FliptServiceErrorFacts {
  /** The kind of failure, as {@link FliptServiceError.code} describes it. */
  readonly code: GrpcCode;
  /** The HTTP status of the response. Default: none, which usually means that no response came. */
  readonly status?: number | undefined;
  /** The `details` of Flipt's error. Default: an empty list. */
  readonly details?: readonly unknown[] | undefined;
  /** The name of the operation in the client, such as `segments.create`. */
  readonly operation: string;
  /** The address of the request, with its query. */
  readonly url: string;
  /** The network error that made the operation fail. Default: none. */
  readonly cause?: Error | undefined;
}

/**
 * The error with which an operation of the client rejects, for example if Flipt refuses the operation, cannot be
 * reached, or returns an unreadable response. The package redacts credentials of six or more characters in the error.
 * If an error response has a body of more than 256 kB, the error contains no `details`, and the client chooses the code
 * by the HTTP status.
 *
 * If your process might load both the ESM and the CommonJS build of this package, recognise this error by its `name`.
 * The ESM build and the CommonJS build each have their own class `FliptServiceError`, so `instanceof` is `false` for an
 * error of the other build.
 */
export class FliptServiceError extends Error {
  /** The name of the class, which is the same in the ESM and the CommonJS build. */
  declare readonly name: 'FliptServiceError';
  /**
   * The gRPC code in Flipt's response, or else the gRPC code that fits the HTTP status. If no response came, the code
   * is `UNAVAILABLE` (the connection failed), `DEADLINE_EXCEEDED` (no response came in time, perhaps because the event
   * loop of your process was blocked), `CANCELLED` (the client was closed), `UNAUTHENTICATED` (there were no
   * credentials to send) or `UNKNOWN` (for example, Flipt rejected the Kubernetes login). `INTERNAL` together with the
   * status 200, or without a status, means that the client cannot read the response. `UNIMPLEMENTED` usually means that
   * this Flipt does not offer the operation, or that the path in the option `url` is wrong.
   */
  readonly code: GrpcCode;
  /**
   * The HTTP status of the response, or `undefined` if no complete response came, or if the body was larger than 16 MB
   * or could not be decompressed.
   */
  readonly status: number | undefined;
  /** The `details` of Flipt's error, usually an empty list. */
  readonly details: readonly unknown[];
  /** The name of the operation in the client, such as `segments.create`. */
  readonly operation: string;
  /** The address of the request, with its query. */
  readonly url: string;

  static {
    // The name is on the prototype, because Node writes the stack, which begins with the name, before the constructor
    // ends.
    Object.defineProperty(this.prototype, 'name', { value: 'FliptServiceError' });
  }

  /**
   * Creates an error. Only tests of your code need this constructor: outside of tests, the client creates these errors.
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
