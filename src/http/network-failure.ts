import { types } from 'node:util';
import type { Failure } from '../model/failure.js';
import type { TlsOptions } from '../options/http-options.js';
import type { Redact } from './redact.js';
import { beginningOf, oneLine, unlessItThrows } from '../base/text/describe.js';

/**
 * Describes a request that failed before its answer was complete, and says what to do about the failure if a remedy is
 * known. `tls` has the TLS options with which the request was sent. Never throws, whatever `error` is.
 */
export function connectionFailure(
  url: string,
  error: unknown,
  redact: Redact,
  tls: TlsOptions = {},
): Failure {
  // Reading an error of a user's dispatcher can itself throw.
  const cause =
    unlessItThrows(() => networkError(error, redact)) ?? named('Error', 'an error that cannot be read', {});
  const code = 'code' in cause ? oneLine(String(cause.code)) : '';
  const isMarked = (mark: Mark) => unlessItThrows((): unknown => Reflect.get(Object(error), mark)) === true;
  const names = redact(unlessItThrows(() => certificateNames(error)) ?? '');
  const words = inClearWords(cause, code, { url, isOfProxy: isMarked('isOfProxy'), names, tls });
  const message = oneLine(words ?? cause.message);
  const shown = message.includes(code) ? '' : ` (${code})`;
  return {
    kind: isMarked('isBlocked') ? 'blocked' : isMarked('isStale') ? 'stale-connection' : 'connection',
    message: `the request to Flipt at ${url} failed: ${message}${shown}`,
    cause,
  };
}

/** Returns whether the error of the network has this code, such as `ECONNREFUSED`. */
export function hasCode({ cause }: Failure, code: string): boolean {
  return cause !== undefined && 'code' in cause && cause.code === code;
}

/** The request that failed, and how it was sent. */
interface Asked {
  readonly url: string;
  readonly isOfProxy: boolean;
  /** The names in the other side's certificate. */
  readonly names: string;
  readonly tls: TlsOptions;
}

/**
 * Returns the names in the certificate that an error is about, in the form in which Node gives them, or an empty text
 * if there is no certificate.
 */
function certificateNames(error: unknown): string {
  const certificate: unknown = Reflect.get(Object(error), 'cert');
  const names: unknown = Reflect.get(Object(certificate), 'subjectaltname');
  return typeof names === 'string' ? names : '';
}

/** This package's own connections set these members on errors. */
type Mark = 'isBlocked' | 'isStale' | 'isOfProxy';

/** Node and undici use these messages if the other side has closed a connection. */
const CLOSED = ['socket hang up', 'aborted', 'other side closed'];

/**
 * Describes in clear words what failed, even if the other side speaks another protocol. Returns `undefined` if the
 * message of the cause is clear already, or if nothing better is known.
 */
function inClearWords(cause: Error, code: string, asked: Asked): string | undefined {
  const { name, message } = cause;
  const { url, isOfProxy, tls } = asked;
  const isDistrusted = tls.cert !== undefined && !isOfProxy && url.startsWith('https:');
  const port = isOfProxy ? "the proxy's port" : 'the port';
  const check = (scheme: string) =>
    isOfProxy ? `check http.proxy, or use ${scheme} in it` : `check the port, or use ${scheme}`;
  if (CLOSED.includes(message)) {
    // If nothing arrived, the port might expect TLS: some TLS ports just close the connection.
    if (!('bytesRead' in cause && cause.bytesRead === 0))
      return 'the connection was closed before the answer was complete';
    if (isOfProxy) return `the proxy closed the connection without an answer; ${check('https:')}`;
    const why = url.startsWith('http:') ? `; ${check('https:')}` : isDistrusted ? `; ${DISTRUSTED}` : '';
    return `the connection was closed without an answer${why}`;
  }
  if (isDistrusted && (code === 'ECONNRESET' || code === 'EPIPE')) return `${message}; ${DISTRUSTED}`;
  if ('address' in cause && !('port' in cause)) return inWordsOfSocket(message, code);
  // With these two codes of Node's HTTP parser, the answer is not HTTP at all. With most other codes of Node's HTTP
  // parser, the answer has a mistake, which the parser's own message names.
  const isNoHttp = code === 'HPE_INVALID_CONSTANT' || code === 'HPE_INVALID_VERSION';
  if (name === 'HTTPParserError' || isNoHttp) return `${port} does not speak HTTP; ${check('https:')}`;
  if (code === 'HPE_HEADER_OVERFLOW') return 'the headers of the answer are too large';
  const isNoTls = /wrong version number|packet length too long|unknown protocol|http request/i.test(message);
  if (isNoTls && /^(?:EPROTO|ERR_SSL_)/.test(code)) {
    return `${port} does not speak TLS; ${check('http:')}`;
  }
  // If the service is at an http: address, only a proxy can have spoken TLS.
  return inWordsOfTls(cause, code, { ...asked, isOfProxy: isOfProxy || url.startsWith('http:') });
}

/** Some services close the connection without a message when they refuse a client certificate. */
const DISTRUSTED = 'perhaps the other side does not trust http.tls.cert';

/**
 * Returns why there is no connection to a Unix domain socket, or `undefined` if the error's own message is clear
 * enough.
 */
function inWordsOfSocket(message: string, code: string): string | undefined {
  if (code === 'ENOENT') return `${message}; http.socketPath: there is no such file`;
  if (code === 'ECONNREFUSED') return `${message}; http.socketPath: nothing listens there`;
  return code === 'EACCES' ? `${message}; http.socketPath: this process may not use it` : undefined;
}

/** Node and OpenSSL give these codes for a certificate that no trusted authority has signed. */
const UNTRUSTED =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?))$/;
/**
 * With these messages, the other side usually says that it wants a client certificate, or does not trust the client
 * certificate that it got.
 */
const REFUSED = /alert[ _](?:certificate[ _]required|bad[ _]certificate|unknown[ _]ca|handshake[ _]failure)/i;

/** Returns what failed in TLS and what to do about it, or `undefined` if this function does not know the failure. */
function inWordsOfTls(
  { message }: Error,
  code: string,
  { isOfProxy, names, tls }: Asked,
): string | undefined {
  if (UNTRUSTED.test(code)) {
    if (isOfProxy)
      return `${message}; the certificate is the proxy's: name its certificate authority with NODE_EXTRA_CA_CERTS`;
    if (tls.ca !== undefined) return `${message}; none of the authorities in http.tls.ca signed it`;
    return `${message}; name its certificate authority with http.tls.ca`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    // Node's message contains the names in the certificate only if Node expected a name and not an address.
    const its = names === '' || message.includes(names) ? '' : `; the certificate has ${beginningOf(names)}`;
    return isOfProxy
      ? `${message}${its}; the certificate is the proxy's: give one of its names in http.proxy`
      : `${message}${its}; correct url, or give one of these names as http.tls.servername`;
  }
  if (!REFUSED.test(message)) return undefined;
  if (tls.cert !== undefined && !isOfProxy) return `TLS was refused; ${DISTRUSTED}`;
  return 'TLS was refused; the other side may ask for a client certificate that it trusts: set http.tls.cert and http.tls.key';
}

/**
 * Describes a request that took too long. `option` names the option that sets the limit; leave `option` out if no
 * single option sets the limit. `isBlocked` is true if the event loop was blocked, so that the service might have
 * answered in time.
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

/**
 * Besides its name and its message, only these properties of an error are safe to show. A user's dispatcher might put
 * the whole request into other properties.
 */
const SHOWN = ['code', 'errno', 'syscall', 'address', 'port', 'hostname', 'bytesRead'] as const;

/**
 * Returns a copy of a network error with only those properties that are safe to show, and without credentials. If
 * several addresses were tried, the result is the error of the first address.
 */
function networkError(error: unknown, redact: Redact): Error {
  // The check does not use `instanceof`, because in Jest, Node's errors have classes of another realm.
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
