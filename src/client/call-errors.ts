import { FliptServiceError, type GrpcCode } from './service-error.js';
import type { Failure, FailureKind } from '../model/failure.js';
import { grpcCode } from './grpc-codes.js';
import { oneLine } from '../text/quote.js';
import { serviceErrorOf, statusFailure, unreadable, type Reply } from '../http/reply.js';
import type { Operation } from './operations/operation.js';

/** An operation, and the base address of the service that was asked. */
export interface Asked {
  readonly operation: Operation<unknown>;
  readonly url: string;
}

const CODE_OF_FAILURE: { readonly [kind in FailureKind]?: GrpcCode } = {
  connection: 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
  closed: 'CANCELLED',
  credentials: 'UNAUTHENTICATED',
  unreadable: 'INTERNAL',
};

/** Nothing came that could be read. */
export function failureError(asked: Asked, { kind, message, cause }: Failure): FliptServiceError {
  return new FliptServiceError(message, {
    code: CODE_OF_FAILURE[kind] ?? 'UNKNOWN',
    ...placeOf(asked),
    cause,
  });
}

/** The service, or something before it, answered with a status other than 200. */
export function replyError(asked: Asked, reply: Reply): FliptServiceError {
  const { status } = reply;
  const told = serviceErrorOf(reply);
  const facts = { status, details: told?.details, ...placeOf(asked) };
  const { name, offered } = asked.operation;
  if (isUnoffered(asked, reply)) {
    const words = told === undefined ? '' : `: ${oneLine(told.message)}`;
    const message = `the service at ${asked.url} does not offer ${name} (it answered ${status}${words}). ${offered}`;
    return new FliptServiceError(message, { code: 'UNIMPLEMENTED', ...facts });
  }
  const message = oneLine(told?.message ?? '') || statusFailure(asked.url, reply).message;
  return new FliptServiceError(message, { code: grpcCode(told?.code, status), ...facts });
}

/**
 * A 200 that is not the answer asked for. The answer itself is not shown: a new token may be in it.
 */
export function unreadableError(
  asked: Asked,
  { status, headers, hide }: Reply,
  why: string,
): FliptServiceError {
  const type = headers['content-type'];
  const named = typeof type === 'string' ? oneLine(hide(type)) : 'no content type';
  const { message } = unreadable(asked.url, `${asked.operation.name}, ${named}: ${why}`);
  return new FliptServiceError(message, { code: 'INTERNAL', status, ...placeOf(asked) });
}

/**
 * Whether the route is missing, rather than a thing on it: then the service answers `Not Found` and no more, and
 * others say nothing in its words. But Flipt v1 takes an encoded slash in a key for one that parts the path.
 */
function isUnoffered({ operation }: Asked, reply: Reply): boolean {
  if (reply.status === 501) return true;
  if (reply.status !== 404 || operation.path.includes('%2F')) return false;
  const told = serviceErrorOf(reply);
  return told === undefined || told.message === 'Not Found';
}

function placeOf({ operation, url }: Asked): { readonly operation: string; readonly url: string } {
  return { operation: operation.name, url: url + operation.path };
}
