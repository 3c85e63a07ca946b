import { types } from 'node:util';
import type { Failure } from '../model/failure.js';
import type { Redact } from './redact.js';
import { oneLine, unlessItThrows } from '../text/describe.js';

/** What failed before the answer was complete. Never throws, whatever the error is. */
export function connectionFailure(url: string, error: unknown, redact: Redact): Failure {
  // An error of the user's dispatcher may itself throw when it is read.
  const cause =
    unlessItThrows(() => networkError(error, redact)) ?? named('Error', 'an error that cannot be read', {});
  const code = 'code' in cause ? oneLine(String(cause.code)) : '';
  const message = oneLine(inClearWords(cause, code, url) ?? cause.message);
  const shown = message.includes(code) ? '' : ` (${code})`;
  const isMarked = (mark: Mark) => unlessItThrows((): unknown => Reflect.get(Object(error), mark)) === true;
  return {
    kind: isMarked('isBlocked') ? 'blocked' : isMarked('isStale') ? 'stale-connection' : 'connection',
    message: `the request to Flipt at ${url} failed: ${message}${shown}`,
    cause,
  };
}

/** Our own marks of errors. */
type Mark = 'isBlocked' | 'isStale';

/** What Node and undici say of a connection that the other side closed. */
const CLOSED = ['socket hang up', 'aborted', 'other side closed'];

/** Also recognises a side that speaks another protocol. `undefined`: the cause's own message is clear. */
function inClearWords(cause: Error, code: string, url: string): string | undefined {
  const { name, message } = cause;
  const check = 'check the port, or use https:';
  if (CLOSED.includes(message)) {
    // Some TLS ports just close the connection.
    if (!('bytesRead' in cause && cause.bytesRead === 0))
      return 'the connection was closed before the answer was complete';
    return `the connection was closed without an answer${url.startsWith('http:') ? `; ${check}` : ''}`;
  }
  // Other codes of Node's parser are about a mistake in what is HTTP. The parser's own message names it.
  const isNoHttp = code === 'HPE_INVALID_CONSTANT' || code === 'HPE_INVALID_VERSION';
  if (name === 'HTTPParserError' || isNoHttp) return `the port does not speak HTTP; ${check}`;
  if (code === 'HPE_HEADER_OVERFLOW') return 'the headers of the answer are too large';
  const isNoTls = /wrong version number|packet length too long|unknown protocol|http request/i.test(message);
  if (isNoTls && /^(?:EPROTO|ERR_SSL_)/.test(code)) {
    return 'the port does not speak TLS; check the port, or use http:';
  }
  return undefined;
}

/**
 * `option` names the option that sets the limit; without one, the limit is fixed. `isBlocked`: the event loop was
 * blocked, so the service may have answered in time.
 */
export function timeoutFailure(url: string, timeoutMs: number, option?: string, isBlocked = false): Failure {
  const limitMs = Math.round(timeoutMs);
  const by = option === undefined ? '' : ` (${option})`;
  const but = isBlocked ? '; the event loop was blocked' : '';
  return {
    kind: isBlocked ? 'blocked' : 'timeout',
    message: `Flipt at ${url} did not answer within ${limitMs} ms${by}${but}`,
    cause: named('TimeoutError', `no answer within ${limitMs} ms`, { code: 'ETIMEDOUT' }),
  };
}

/** The properties of an error that are safe to show: a user's dispatcher may put the whole request into others. */
const SHOWN = ['code', 'errno', 'syscall', 'address', 'port', 'hostname', 'bytesRead'] as const;

/**
 * The error that the network gave, without its other properties. If several addresses were tried, the error of the
 * first.
 */
function networkError(error: unknown, redact: Redact): Error {
  // Not `instanceof`: in Jest, Node's errors have classes of another realm.
  if (!types.isNativeError(error)) return named('Error', redact(String(error)), {});
  const several: unknown = Reflect.get(error, 'errors');
  if (Array.isArray(several) && several.length > 0) return networkError(several[0], redact);
  const { name, message }: { readonly name: unknown; readonly message: unknown } = error;
  const socket: unknown = Reflect.get(error, 'socket');
  const facts: object = Object.assign({}, error, socket);
  const shown: Record<string, string | number> = {};
  for (const fact of SHOWN) {
    const value: unknown = Reflect.get(facts, fact);
    if (typeof value === 'string') shown[fact] = redact(value);
    else if (typeof value === 'number') shown[fact] = value;
  }
  return named(redact(String(name)), redact(String(message)), shown);
}

function named(name: string, message: string, facts: object): Error {
  const error = Object.assign(new Error(message), facts);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  return error;
}
