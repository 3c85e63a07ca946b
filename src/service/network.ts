import type { Failure } from '../model.js';
import { discreet } from './discreet.js';
import { oneLine } from './message.js';

type Headers = Readonly<Record<string, string>>;

/** What went wrong before a whole answer had come. `sent` are the request's headers. */
export function connectionFailure(url: string, error: unknown, sent: Headers): Failure {
  const cause = networkError(error, sent);
  const message = oneLine(cause.message);
  const code = 'code' in cause && !message.includes(String(cause.code)) ? ` (${String(cause.code)})` : '';
  return { kind: 'connection', message: `Flipt at ${url} could not be asked: ${message}${code}`, cause };
}

export function timeoutFailure(url: string, timeoutMs: number): Failure {
  return {
    kind: 'timeout',
    message: `Flipt at ${url} did not answer within ${timeoutMs} ms (http.timeoutMs)`,
    cause: named('TimeoutError', `no answer within ${timeoutMs} ms`, { code: 'ETIMEDOUT' }),
  };
}

export function tooLarge(url: string): Failure {
  return { kind: 'unreadable', message: `Flipt at ${url} answered with more than 16 MB, which is refused` };
}

/** What may be told of an error; a dispatcher of the user's might hold the whole request in it. */
const TOLD = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const;

/** The error that the network gave, without whatever else it holds. Of several addresses tried, the first one's. */
function networkError(error: unknown, sent: Headers): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return networkError(error.errors[0], sent);
  if (!(error instanceof Error)) return named('Error', discreet(String(error), sent), {});
  const told = Object.entries(error).filter(([name]) => (TOLD as readonly string[]).includes(name));
  return named(error.name, discreet(error.message, sent), Object.fromEntries(told));
}

function named(name: string, message: string, facts: object): Error {
  const error = Object.assign(new Error(message), facts);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  return error;
}
