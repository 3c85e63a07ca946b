import type { Failure } from '../model/failure.js';
import type { Hide } from './redact.js';
import { oneLine } from '../text/quote.js';

/** What went wrong before a whole answer had come. Never throws, whatever the error is. */
export function connectionFailure(url: string, error: unknown, hide: Hide): Failure {
  const cause = causeOf(error, hide);
  const message = oneLine(cause.message);
  const named = 'code' in cause ? oneLine(String(cause.code)) : '';
  const code = message.includes(named) ? '' : ` (${named})`;
  return { kind: 'connection', message: `Flipt at ${url} could not be asked: ${message}${code}`, cause };
}

/** `option` sets the limit. A limit without an option is fixed. */
export function timeoutFailure(url: string, timeoutMs: number, option?: string): Failure {
  const by = option === undefined ? '' : ` (${option})`;
  return {
    kind: 'timeout',
    message: `Flipt at ${url} did not answer within ${timeoutMs} ms${by}`,
    cause: named('TimeoutError', `no answer within ${timeoutMs} ms`, { code: 'ETIMEDOUT' }),
  };
}

export function tooLarge(url: string, maxBytes: number): Failure {
  const limit = `${maxBytes / 1024 / 1024} MB`;
  return {
    kind: 'unreadable',
    message: `Flipt at ${url} answered with more than ${limit}, which is refused`,
  };
}

/** What may be told of an error; a dispatcher of the user's might hold the whole request in it. */
const TOLD = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const;

/** What a dispatcher of the user's throws may throw itself, when it is looked at. */
function causeOf(error: unknown, hide: Hide): Error {
  try {
    return networkError(error, hide);
  } catch {
    return named('Error', 'an error that cannot be read', {});
  }
}

/** The error that the network gave, without whatever else it holds. Of several addresses tried, the first one's. */
function networkError(error: unknown, hide: Hide): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return networkError(error.errors[0], hide);
  if (!(error instanceof Error)) return named('Error', hide(String(error)), {});
  const { name, message }: { readonly name: unknown; readonly message: unknown } = error;
  const told = Object.entries(error)
    .filter(([fact]) => (TOLD as readonly string[]).includes(fact))
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([fact, value]) => [fact, typeof value === 'string' ? hide(value) : (value as number)] as const);
  return named(hide(String(name)), hide(String(message)), Object.fromEntries(told));
}

function named(name: string, message: string, facts: object): Error {
  const error = Object.assign(new Error(message), facts);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  return error;
}
