import { FliptServiceError, type FliptServiceErrorFacts, type GrpcCode } from './service-error.js';
import type { Failure, FailureKind } from '../model/failure.js';
import { grpcCode } from './grpc-codes.js';
import { oneLine } from '../text/describe.js';
import type { Reply } from '../http/reply.js';
import { isUnknownPath, serviceErrorOf, statusWords, unreadable } from '../http/reply-message.js';
import type { ClientOperation } from './operations/client-operation.js';

/** An operation, and the base address of the service that it is sent to. */
export interface AskedOperation {
  readonly operation: ClientOperation<unknown>;
  readonly url: string;
}

const OFFERED_BY_V1 = 'Flipt v1 offers it; Flipt v2 serves evaluation only.';

const CODE_OF_FAILURE: { readonly [kind in FailureKind]?: GrpcCode } = {
  connection: 'UNAVAILABLE',
  'stale-connection': 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
  closed: 'CANCELLED',
  credentials: 'UNAUTHENTICATED',
  unreadable: 'INTERNAL',
};

/** There was no response, or an unreadable one. */
export function failureError(asked: AskedOperation, { kind, message, cause }: Failure): FliptServiceError {
  return errorOf(asked, `: ${message}`, { code: CODE_OF_FAILURE[kind] ?? 'UNKNOWN', cause });
}

/** The service, or a proxy, answered with a status other than 200. */
export function replyError(asked: AskedOperation, reply: Reply): FliptServiceError {
  const { status } = reply;
  const reported = serviceErrorOf(reply);
  const details = reported?.details;
  const { name, offered = OFFERED_BY_V1 } = asked.operation;
  if (isUnoffered(asked, reply)) {
    const words = reported === undefined ? '' : `: ${oneLine(reported.message)}`;
    const message = ` answered ${status}${words}; the service does not offer ${name}. ${offered}`;
    return errorOf(asked, message, { code: 'UNIMPLEMENTED', status, details });
  }
  const code = grpcCode(reported?.code, status);
  return errorOf(asked, ` answered ${statusWords(reply)}`, { code, status, details });
}

/**
 * A 200 without the expected answer. The body is not shown: it may hold a new token.
 */
export function unreadableError(asked: AskedOperation, { status, headers, redact }: Reply, why: string) {
  const type = headers['content-type'];
  const named = typeof type === 'string' ? oneLine(redact(type)) : 'no content type';
  const { message } = unreadable(asked.url, `${asked.operation.name}, ${named}: ${why}`);
  return errorOf(asked, ` answered ${status}: ${message}`, { code: 'INTERNAL', status });
}

/** Flipt v1 does not know the path of a key with an encoded slash either, because it splits the path there. */
function isUnoffered({ operation }: AskedOperation, reply: Reply): boolean {
  return reply.status === 501 || (isUnknownPath(reply) && !operation.path.includes('%2F'));
}

/** Each message begins with the request, because error trackers group errors by their beginning. */
function errorOf(
  { operation: { name, method, path }, url }: AskedOperation,
  message: string,
  facts: Omit<FliptServiceErrorFacts, 'operation' | 'url'>,
): FliptServiceError {
  return new FliptServiceError(`${method} ${path}${message}`, { ...facts, operation: name, url: url + path });
}
