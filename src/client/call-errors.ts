import { FliptServiceError, type FliptServiceErrorFacts, type GrpcCode } from './service-error.js';
import type { Failure, FailureKind } from '../model/failure.js';
import { oneLine } from '../base/text/describe.js';
import type { Reply } from '../http/reply.js';
import { isUnknownPath, serviceErrorOf, statusWords, unreadable } from '../http/reply-message.js';
import type { ClientOperation } from './client-operation.js';

/**
 * An operation of the client that the app has called. The `path` of the operation contains the keys and ids of the
 * call, and `url` is the base address of Flipt.
 */
export type AskedOperation = Omit<ClientOperation<unknown>, 'answer'> & { readonly url: string };

const OFFERED_BY_V1 = 'Flipt v1 offers it. Flipt v2 offers evaluation.batch only.';

/**
 * Flipt v2 answers `flags.list` with an error that begins with this text. At the path of `flags.list`, Flipt v2 has
 * only a list for its own user interface. The list for the user interface of Flipt v2 requires a header, and contains
 * no variants.
 */
const WITHOUT_ENVIRONMENT = 'failed to get environment ""';

const CODE_OF_FAILURE: { readonly [kind in FailureKind]?: GrpcCode } = {
  connection: 'UNAVAILABLE',
  'stale-connection': 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
  blocked: 'DEADLINE_EXCEEDED',
  closed: 'CANCELLED',
  credentials: 'UNAUTHENTICATED',
  unreadable: 'INTERNAL',
};

/** Makes the error for a request that got no response, or an unreadable response. */
export function failureError(asked: AskedOperation, { kind, message, cause }: Failure): FliptServiceError {
  return errorOf(asked, `: ${message}`, { code: CODE_OF_FAILURE[kind] ?? 'UNKNOWN', cause });
}

/** Makes the error for a response, from Flipt or from a proxy, that has a status other than 200. */
export function replyError(asked: AskedOperation, reply: Reply): FliptServiceError {
  const { status } = reply;
  const reported = serviceErrorOf(reply);
  const details = reported?.details;
  const { name, path, offered = OFFERED_BY_V1 } = asked;
  // Flipt v1 splits a path even at an encoded slash (`%2F`). So if a key contains a slash, Flipt v1 answers that the
  // path is unknown, although Flipt v1 offers the operation.
  const isNotOffered =
    CODES.UNIMPLEMENTED.includes(status) ||
    (isUnknownPath(reply) && !path.includes('%2F')) ||
    (path.startsWith('/api/') && reported?.message.startsWith(WITHOUT_ENVIRONMENT));
  if (isNotOffered) {
    const words = reported === undefined ? '' : `: ${oneLine(reported.message)}`;
    const message = ` answered ${status}${words}; the service does not offer ${name}. ${offered}`;
    return errorOf(asked, message, { code: 'UNIMPLEMENTED', status, details });
  }
  const code = grpcCode(reported?.code, status);
  return errorOf(asked, ` answered ${statusWords(reply)}`, { code, status, details });
}

/**
 * Makes the error for a response with status 200 whose body is not the expected answer. The error message does not show
 * the body of the response, because the body might contain a new token.
 */
export function unreadableError(asked: AskedOperation, { status, headers, redact }: Reply, why: string) {
  const type = headers['content-type'];
  const named = typeof type === 'string' ? oneLine(redact(type)) : 'no content type';
  const { message } = unreadable(asked.url, `${asked.name}, ${named}: ${why}`);
  return errorOf(asked, ` answered ${status}: ${message}`, { code: 'INTERNAL', status });
}

/**
 * Each error message begins with the method and the path of the request, because error trackers group errors by the
 * beginning of their messages.
 */
function errorOf(
  { name, method, path, url }: AskedOperation,
  message: string,
  facts: Omit<FliptServiceErrorFacts, 'operation' | 'url'>,
): FliptServiceError {
  return new FliptServiceError(`${method} ${path}${message}`, { ...facts, operation: name, url: url + path });
}

/**
 * Lists the error codes of gRPC in the order of their numbers. gRPC numbers these error codes from 1 on, because 0
 * means success. If a response contains no gRPC code, the client chooses the code that has the response's HTTP status
 * in its list. A response without a gRPC code usually comes from a proxy.
 */
const CODES: Readonly<Record<GrpcCode, readonly number[]>> = {
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
};

export function grpcCode(number: number | undefined, status: number): GrpcCode {
  const codes = Object.keys(CODES) as GrpcCode[];
  return codes[(number ?? 0) - 1] ?? codes.find((code) => CODES[code].includes(status)) ?? 'UNKNOWN';
}
