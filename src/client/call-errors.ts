import { FliptServiceError, type GrpcCode } from './service-error.js';
import type { Failure, FailureKind } from '../model/failure.js';
import { grpcCode } from './grpc-codes.js';
import { oneLine } from '../text/quote.js';
import { serviceErrorOf, statusWords, unreadable, type Reply } from '../http/reply.js';
import type { ClientOperation } from './operations/client-operation.js';

/** An operation, and the base address of the service that it is sent to. */
export interface AskedOperation {
  readonly operation: ClientOperation<unknown>;
  readonly url: string;
}

const CODE_OF_FAILURE: { readonly [kind in FailureKind]?: GrpcCode } = {
  connection: 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
  closed: 'CANCELLED',
  credentials: 'UNAUTHENTICATED',
  unreadable: 'INTERNAL',
};

/** There was no response, or an unreadable one. */
export function failureError(asked: AskedOperation, { kind, message, cause }: Failure): FliptServiceError {
  return new FliptServiceError(`${requestOf(asked)}: ${message}`, {
    code: CODE_OF_FAILURE[kind] ?? 'UNKNOWN',
    ...placeOf(asked),
    cause,
  });
}

/** The service, or a proxy, answered with a status other than 200. */
export function replyError(asked: AskedOperation, reply: Reply): FliptServiceError {
  const { status } = reply;
  const reported = serviceErrorOf(reply);
  const facts = { status, details: reported?.details, ...placeOf(asked) };
  const { name, offered } = asked.operation;
  if (isUnoffered(asked, reply)) {
    const words = reported === undefined ? '' : `: ${oneLine(reported.message)}`;
    const message = `${requestOf(asked)} answered ${status}${words}; the service does not offer ${name}. ${offered}`;
    return new FliptServiceError(message, { code: 'UNIMPLEMENTED', ...facts });
  }
  const message = `${requestOf(asked)} answered ${statusWords(reply)}`;
  return new FliptServiceError(message, { code: grpcCode(reported?.code, status), ...facts });
}

/**
 * A 200 without the expected answer. The body is not shown: it may hold a new token.
 */
export function unreadableError(
  asked: AskedOperation,
  { status, headers, redact }: Reply,
  why: string,
): FliptServiceError {
  const type = headers['content-type'];
  const named = typeof type === 'string' ? oneLine(redact(type)) : 'no content type';
  const { message } = unreadable(asked.url, `${asked.operation.name}, ${named}: ${why}`);
  return new FliptServiceError(`${requestOf(asked)} answered ${status}: ${message}`, {
    code: 'INTERNAL',
    status,
    ...placeOf(asked),
  });
}

/**
 * Whether the route is missing, and not only the thing it names. For a missing route, the service answers only `Not
 * Found`, and a proxy answers without the service's error format. Flipt v1 also answers `Not Found` for a key with an
 * encoded slash, because it splits the path there.
 */
function isUnoffered({ operation }: AskedOperation, reply: Reply): boolean {
  if (reply.status === 501) return true;
  if (reply.status !== 404 || operation.path.includes('%2F')) return false;
  const reported = serviceErrorOf(reply);
  return reported === undefined || reported.message === 'Not Found';
}

/** Each message begins with this, because error trackers group errors by their beginning. */
function requestOf({ operation }: AskedOperation): string {
  return `${operation.method} ${operation.path}`;
}

function placeOf({ operation, url }: AskedOperation): { readonly operation: string; readonly url: string } {
  return { operation: operation.name, url: url + operation.path };
}
