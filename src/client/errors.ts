import type { Failure, FailureKind } from '../model/failure.js';
import { oneLine } from '../base/text/describe.js';
import type { Reply } from '../http/reply.js';
import { isUnknownPath, serviceErrorOf, statusWords, unreadable } from '../http/failures.js';

/** In the order of gRPC's numbers, which begin at 1, each with the HTTP statuses that mean it where no number came. */
const CODES = {
  CANCELLED: [],
  UNKNOWN: [],
  INVALID_ARGUMENT: [400],
  DEADLINE_EXCEEDED: [408, 504],
  NOT_FOUND: [404],
  ALREADY_EXISTS: [409],
  PERMISSION_DENIED: [403],
  RESOURCE_EXHAUSTED: [413, 429],
  FAILED_PRECONDITION: [],
  ABORTED: [],
  OUT_OF_RANGE: [],
  UNIMPLEMENTED: [501],
  INTERNAL: [500],
  UNAVAILABLE: [502, 503],
  DATA_LOSS: [],
  UNAUTHENTICATED: [401],
} as const satisfies Readonly<Record<string, readonly number[]>>;

export type GrpcCode = keyof typeof CODES;

export interface FliptServiceErrorFacts {
  readonly code: GrpcCode;
  readonly status?: number | undefined;
  readonly details?: readonly unknown[] | undefined;
  readonly operation: string;
  readonly url: string;
  readonly cause?: Error | undefined;
}

/**
 * An operation of the client has failed. Credentials of six or more characters are redacted. Recognise it by its
 * `name`: `instanceof` is false between the ESM and the CommonJS build.
 */
export class FliptServiceError extends Error {
  declare readonly name: 'FliptServiceError';
  /**
   * The gRPC code in Flipt's response, else the one that fits the HTTP status. Without a response: `UNAVAILABLE` (the
   * connection failed), `DEADLINE_EXCEEDED` (too late), `CANCELLED` (the client was closed), `UNAUTHENTICATED` (no
   * credentials to send) or `UNKNOWN`. `INTERNAL` with the status 200: the response was unreadable. `UNIMPLEMENTED`:
   * this Flipt has no such operation, or the path in the option `url` is wrong.
   */
  readonly code: GrpcCode;
  /** `undefined` if no complete response came, or one that is larger than 16 MB or cannot be decompressed. */
  readonly status: number | undefined;
  /** The `details` of Flipt's error: usually empty, and always for an error of more than 256 kB. */
  readonly details: readonly unknown[];
  /** Such as `segments.create`. */
  readonly operation: string;
  /** With the query of the request. */
  readonly url: string;

  static {
    // Node writes the name into the stack before the constructor ends, so it stands on the prototype.
    Object.defineProperty(this.prototype, 'name', { value: 'FliptServiceError' });
  }

  /** For tests of your own code. */
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

export interface AskedOperation {
  readonly operation: string;
  readonly method: string;
  /** With keys and ids, and with the query. */
  readonly path: string;
  readonly url: string;
}

const CODE_OF_FAILURE: { readonly [kind in FailureKind]?: GrpcCode } = {
  connection: 'UNAVAILABLE',
  'stale-connection': 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
  closed: 'CANCELLED',
  credentials: 'UNAUTHENTICATED',
  unreadable: 'INTERNAL',
};

/** No response came, or none that can be read. */
export function failureError(asked: AskedOperation, { kind, message, cause }: Failure): FliptServiceError {
  return errorOf(asked, `: ${message}`, { code: CODE_OF_FAILURE[kind] ?? 'UNKNOWN', cause });
}

const OFFERED_BY_V1 = 'Flipt v1 offers it. Flipt v2 offers evaluation.batch only.';
const OFFERED: Readonly<Record<string, string>> = {
  'evaluation.batch': 'Every version of Flipt offers it: check the path in the option url.',
  'tokens.create':
    'Flipt v1 offers it if its token authentication is enabled. Flipt v2 offers evaluation.batch only.',
};

/** Flipt v2's answer to `flags.list`: at this path it has a list for its own page, which wants a header. */
const WITHOUT_ENVIRONMENT = 'failed to get environment ""';

/** A status other than 200, of Flipt or of a proxy. */
export function replyError(asked: AskedOperation, reply: Reply): FliptServiceError {
  const { status } = reply;
  const reported = serviceErrorOf(reply);
  const details = reported?.details;
  const { operation, path } = asked;
  const isNotOffered =
    grpcCode(undefined, status) === 'UNIMPLEMENTED' ||
    // Flipt v1 splits a path even at %2F, so a key with a slash makes it answer that the path is unknown.
    (isUnknownPath(reply) && !path.includes('%2F')) ||
    (path.startsWith('/api/') && reported?.message.startsWith(WITHOUT_ENVIRONMENT));
  if (isNotOffered) {
    const words = reported === undefined ? '' : `: ${oneLine(reported.message)}`;
    const offered = OFFERED[operation] ?? OFFERED_BY_V1;
    const message = ` answered ${status}${words}; the service does not offer ${operation}. ${offered}`;
    return errorOf(asked, message, { code: 'UNIMPLEMENTED', status, details });
  }
  const code = grpcCode(reported?.code, status);
  return errorOf(asked, ` answered ${statusWords(reply)}`, { code, status, details });
}

/** The content is not shown: it may hold a new token. */
export function unreadableError(asked: AskedOperation, { status, headers, redact }: Reply, why: string) {
  const type = headers['content-type'];
  const named = typeof type === 'string' ? oneLine(redact(type)) : 'no content type';
  const { message } = unreadable(asked.url, `${asked.operation}, ${named}: ${why}`);
  return errorOf(asked, ` answered ${status}: ${message}`, { code: 'INTERNAL', status });
}

/** Method and path come first: error trackers group errors by the beginning of their messages. */
function errorOf(
  { operation, method, path, url }: AskedOperation,
  message: string,
  facts: Omit<FliptServiceErrorFacts, 'operation' | 'url'>,
): FliptServiceError {
  return new FliptServiceError(`${method} ${path}${message}`, { ...facts, operation, url: url + path });
}

export function grpcCode(number: number | undefined, status: number): GrpcCode {
  const codes = Object.entries(CODES) as [GrpcCode, readonly number[]][];
  const found = codes[(number ?? 0) - 1] ?? codes.find(([, statuses]) => statuses.includes(status));
  return found?.[0] ?? 'UNKNOWN';
}
