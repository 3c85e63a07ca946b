import { types } from 'node:util';
import type { Failure } from '../model/failure.js';
import type { Redact } from './redact.js';
import { beginningOf, oneLine, unlessItThrows } from '../base/text/describe.js';

/** What failed before the answer was complete. Never throws, whatever the error is. */
export function connectionFailure(url: string, error: unknown, redact: Redact): Failure {
  // An error of the user's dispatcher may itself throw when it is read.
  const cause =
    unlessItThrows(() => networkError(error, redact)) ?? named('Error', 'an error that cannot be read', {});
  const code = 'code' in cause ? oneLine(String(cause.code)) : '';
  const isMarked = (mark: Mark) => unlessItThrows((): unknown => Reflect.get(Object(error), mark)) === true;
  const names = redact(unlessItThrows(() => certificateNames(error)) ?? '');
  const words = inClearWords(cause, code, url, isMarked('isOfProxy'), names);
  const message = oneLine(words ?? cause.message);
  const shown = message.includes(code) ? '' : ` (${code})`;
  return {
    kind: isMarked('isBlocked') ? 'blocked' : isMarked('isStale') ? 'stale-connection' : 'connection',
    message: `the request to Flipt at ${url} failed: ${message}${shown}`,
    cause,
  };
}

/** The names in the certificate that an error is about, as Node gives them; empty without one. */
function certificateNames(error: unknown): string {
  const certificate: unknown = Reflect.get(Object(error), 'cert');
  const names: unknown = Reflect.get(Object(certificate), 'subjectaltname');
  return typeof names === 'string' ? names : '';
}

/** Our own marks of errors. */
type Mark = 'isBlocked' | 'isStale' | 'isOfProxy';

/** What Node and undici say of a connection that the other side closed. */
const CLOSED = ['socket hang up', 'aborted', 'other side closed'];

/** Also recognises a side that speaks another protocol. `undefined`: the cause's own message is clear. */
function inClearWords(
  cause: Error,
  code: string,
  url: string,
  isOfProxy: boolean,
  names: string,
): string | undefined {
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
  // Over http:, TLS is the proxy's.
  return inWordsOfTls(cause, code, isOfProxy || url.startsWith('http:'), names);
}

/** Of Node and OpenSSL, for a certificate that no trusted authority has signed. */
const UNTRUSTED =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?))$/;
/** The other side wants a client certificate, or does not trust the one that it got. */
const REFUSED = /alert[ _](?:certificate[ _]required|bad[ _]certificate|unknown[ _]ca|handshake[ _]failure)/i;

/** What failed of TLS, and what to do about it; `undefined` for anything else. */
function inWordsOfTls(
  { message }: Error,
  code: string,
  isOfProxy: boolean,
  names: string,
): string | undefined {
  if (UNTRUSTED.test(code)) {
    return isOfProxy
      ? `${message}; it is the proxy's: name its certificate authority with NODE_EXTRA_CA_CERTS`
      : `${message}; name its certificate authority with http.tls.ca`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    // Node names them only where a name was expected, not an address.
    const its = names === '' || message.includes(names) ? '' : `; the certificate has ${beginningOf(names)}`;
    return isOfProxy
      ? `${message}${its}; it is the proxy's: give one of its names in http.proxy`
      : `${message}${its}; correct url, or give one of these names as http.tls.servername`;
  }
  if (!REFUSED.test(message)) return undefined;
  return 'TLS was refused; it may ask for a client certificate that it trusts: http.tls.cert and http.tls.key';
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
