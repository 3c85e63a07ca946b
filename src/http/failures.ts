import { types } from 'node:util';
import { beginningOf, isRecord, isShallow, oneLine, quoted, unlessItThrows } from '../base/text/describe.js';
import { parsedJson } from '../base/text/json.js';
import type { Failure } from '../model/failure.js';
import type { HttpSettings } from '../options/settings.js';
import { failureKindOf, type Redact, type Reply } from './reply.js';

/** Redacting a shorter text would damage harmless messages. */
const SHORTEST_SECRET = 6;
const SCHEME = /^(?:bearer|basic|jwt|token|apikey)\s+/i;

export function redactor(secrets: readonly string[]): Redact {
  const shown = secrets
    .flatMap((secret) => [secret.replace(SCHEME, '').trim(), passwordOf(secret)])
    // Escapes of JSON, HTML and URLs leave letters and digits as they are.
    .flatMap((secret) => [secret, ...(secret.match(/[a-z\d]+/gi) ?? [])])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    // One secret can be a part of another one.
    .sort((one, another) => another.length - one.length);
  return (text) => shown.reduce((rest, secret) => rest.replaceAll(secret, '[credential]'), text);
}

/** Of HTTP Basic, else `''`. A gateway may show it decoded. */
function passwordOf(header: string): string {
  const [, encoded = ''] = /^basic\s+(\S+)$/i.exec(header.trim()) ?? [];
  return Buffer.from(encoded, 'base64')
    .toString()
    .replace(/^[^:]*:?/, '');
}

/* Failures of the network. */

const PROXY_USER_ADVICE =
  'the proxy asks for the user and the password that belong into its address, or has refused them';

export function timeoutFailure(url: string, timeoutMs: number, option?: string): Failure {
  const limitMs = Math.round(timeoutMs);
  const by = option === undefined ? '' : ` (${option})`;
  return late(`Flipt at ${url} did not answer within ${limitMs} ms${by}`, limitMs);
}

export function connectingFailure(url: string, timeoutMs: number): Failure {
  return late(`no connection to Flipt at ${url} within ${timeoutMs} ms`, timeoutMs);
}

function late(message: string, limitMs: number): Failure {
  const cause = named('TimeoutError', `no answer within ${limitMs} ms`, { code: 'ETIMEDOUT' });
  return { kind: 'timeout', message, cause };
}

/** Such as `80DC…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:…`, after the number of a thread. */
const OF_OPENSSL = /^(?:write EPROTO )?[\dA-F]+:error:[^:]*:[^:]*:[^:]*:(?<reason>[^:]+).*$/s;

/** Never throws, whatever a user's dispatcher has thrown. */
export function connectionFailure(
  url: string,
  error: unknown,
  redact: Redact,
  { proxy }: Pick<HttpSettings, 'proxy'>,
): Failure {
  const cause =
    unlessItThrows(() => shownError(error, redact)) ?? named('Error', 'an error that cannot be read', {});
  const code = 'code' in cause ? oneLine(String(cause.code)) : '';
  const isMarked = (mark: string) => unlessItThrows((): unknown => Reflect.get(Object(error), mark)) === true;
  const isOfProxy = isMarked('isOfProxy') || (proxy !== undefined && url.startsWith('http:'));
  const text = `${code} ${cause.name} ${cause.message}`;
  const advice = certificateNames(error, redact) + adviceOn(text, isOfProxy, cause, url.startsWith('https:'));
  const words = oneLine(cause.message.replace(OF_OPENSSL, '$<reason>'));
  const shownCode = words.includes(code) ? '' : ` (${code})`;
  return {
    kind: isMarked('isStale') ? 'stale-connection' : 'connection',
    message: `the request to Flipt at ${url} failed: ${words}${advice === '' ? '' : `; ${advice}`}${shownCode}`,
    cause,
  };
}

/** The user or the password is wrong, or missing. */
export function isRefusedByProxy(error: unknown): boolean {
  const message = unlessItThrows((): unknown => Reflect.get(Object(error), 'message'));
  return typeof message === 'string' && /^Proxy (?:response|Authentication Required) \(407\)/.test(message);
}

export function hasCode({ cause }: Failure, code: string): boolean {
  return cause !== undefined && 'code' in cause && cause.code === code;
}

const CLIENT_CERTIFICATE =
  'the other side may ask for a client certificate that it trusts: set http.tls.cert and http.tls.key';

/** What to do about an error whose code, name and message match: at the service, and at the proxy. */
const ADVICE: readonly (readonly [pattern: RegExp, ofService: string, ofProxy?: string])[] = [
  [
    /^(?:SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_(?:VERIFY|GET_ISSUER))/,
    'name its certificate authority with http.tls.ca',
    "the certificate is the proxy's: name its certificate authority with NODE_EXTRA_CA_CERTS",
  ],
  [
    /^(?:ERR_TLS_CERT_ALTNAME_INVALID|UND_ERR_PRX_TLS)/,
    'correct url, or give one of these names as http.tls.servername',
    "the certificate is the proxy's: give one of its names in http.proxy",
  ],
  [/^ERR_OSSL_/, 'check the certificates and the key in http.tls'],
  [
    /alert[ _](?:certificate[ _]required|bad[ _]certificate|unknown[ _]ca|handshake[ _]failure)/i,
    CLIENT_CERTIFICATE,
  ],
  [
    /HPE_INVALID_(?:CONSTANT|VERSION)|HTTPParserError/,
    'the port does not speak HTTP; check the port, or use https:',
    "the proxy's port does not speak HTTP; check http.proxy, or use https: in it",
  ],
  [/HPE_HEADER_OVERFLOW/, 'the headers of the answer are too large'],
  [
    /wrong version number|packet length too long|unknown protocol|http request/i,
    'the port does not speak TLS; check the port, or use http:',
    "the proxy's port does not speak TLS; check http.proxy, or use http: in it",
  ],
];

const CLOSED = /socket hang up|other side closed|aborted|ECONNRESET|EPIPE/;

const OF_SOCKET: Readonly<Record<string, string>> = {
  ENOENT: 'http.socketPath: there is no such file',
  ECONNREFUSED: 'http.socketPath: nothing listens there',
  EACCES: 'http.socketPath: this process may not use it',
};

function adviceOn(text: string, isOfProxy: boolean, cause: Error, isTls: boolean): string {
  const code = text.split(' ', 1)[0] ?? '';
  if ('address' in cause && !('port' in cause)) return OF_SOCKET[code] ?? '';
  const [, ofService, ofProxy] = ADVICE.find(([pattern]) => pattern.test(text)) ?? [];
  if (ofService !== undefined) return (isOfProxy ? ofProxy : undefined) ?? ofService;
  if (!CLOSED.test(text)) return '';
  if (!('bytesRead' in cause && cause.bytesRead === 0))
    return 'the connection was closed before the answer was complete';
  if (isOfProxy)
    return 'the proxy closed the connection without an answer; check http.proxy, or use https: in it';
  // Ports of TLS close a connection without it, and services one whose client certificate they refuse.
  return isTls
    ? `the connection was closed without an answer; ${CLIENT_CERTIFICATE}`
    : 'the connection was closed without an answer; check the port, or use https:';
}

/** Node's own message has the names in a certificate only where it expected a name. */
function certificateNames(error: unknown, redact: Redact): string {
  const names = unlessItThrows((): unknown =>
    Reflect.get(Object(Reflect.get(Object(error), 'cert')), 'subjectaltname'),
  );
  return typeof names === 'string' ? `the certificate has ${beginningOf(redact(names))}; ` : '';
}

/** Only these are safe to show: a user's dispatcher may put the whole request into other properties. */
const SHOWN = ['code', 'errno', 'syscall', 'address', 'port', 'hostname', 'bytesRead'] as const;

/** Of several addresses that were tried, the error of the first counts. */
function shownError(error: unknown, redact: Redact): Error {
  // In Jest, Node's errors have classes of another realm.
  if (!types.isNativeError(error)) return named('Error', redact(String(error)), {});
  const several: unknown = Reflect.get(error, 'errors');
  if (Array.isArray(several) && several.length > 0) return shownError(several[0], redact);
  const facts: object = Object.assign({}, error, Object(Reflect.get(error, 'socket')) as object);
  const shown = SHOWN.flatMap((name): readonly (readonly [string, string | number])[] => {
    const value: unknown = Reflect.get(facts, name);
    if (typeof value === 'string') return [[name, redact(value)]];
    return typeof value === 'number' ? [[name, value]] : [];
  });
  return named(redact(String(error.name)), redact(String(error.message)), Object.fromEntries(shown));
}

function named(name: string, message: string, facts: object): Error {
  const error = Object.assign(new Error(message), facts);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  return error;
}

/* Failures with a status. */

/** Flipt's own errors are far shorter. */
export const LARGEST_ERROR = 256 * 1024;
/** A logger must be able to print the details. */
const DEEPEST_DETAILS = 32;

/** Returns `undefined` if the body is no error in Flipt's format. */
export function serviceErrorOf({ text, redact }: Reply) {
  const body = parsedJson(text);
  if (!isRecord(body) || typeof body.message !== 'string') return undefined;
  const code = typeof body.code === 'number' ? body.code : undefined;
  const details: readonly unknown[] = Array.isArray(body.details) ? body.details : [];
  return isShallow(details, DEEPEST_DETAILS) ? { code, message: redact(body.message), details } : undefined;
}

/** Flipt names what is missing on a path that it knows, and a proxy does not answer in Flipt's format. */
export function isUnknownPath(reply: Reply): boolean {
  const said = serviceErrorOf(reply)?.message.trim() || 'Not Found';
  return failureKindOf(reply.status) === 'not-found' && said === 'Not Found';
}

export function statusFailure(url: string, reply: Reply): Failure {
  return {
    kind: failureKindOf(reply.status),
    message: `Flipt at ${url}${reply.beside ?? ''} answered ${statusWords(reply)}`,
  };
}

export function statusWords(reply: Reply): string {
  const { status } = reply;
  const kind = failureKindOf(status);
  const words = oneLine(serviceErrorOf(reply)?.message ?? '');
  if (kind === 'unauthorized')
    return `${status}: ${words || 'unauthorized'}; ${reply.credentialsAdvice ?? 'check the option auth'}`;
  if (kind === 'forbidden') return `${status}: ${words || 'forbidden'} (check what the credentials allow)`;
  if (status === 407) return `${status}; ${PROXY_USER_ADVICE}`;
  if (words === '' && status >= 300 && status < 400)
    return `${status}, a redirect${whereTo(reply)}, which is not followed`;
  const said = words === '' ? `${status} with ${contentWords(reply)}` : `${status}: ${words}`;
  return isUnknownPath(reply) ? `${said} (check the path in the option url)` : said;
}

/** A query or a user in the address could be somebody's credential. */
function whereTo({ headers: { location }, redact }: Reply): string {
  if (typeof location !== 'string') return '';
  const [address = ''] = redact(location).split(/[?#]/, 1);
  const shown = beginningOf(oneLine(address.replace(/\/\/[^/@]*@/, '//')));
  return shown === '' ? '' : ` to ${shown}`;
}

export function unreadable(url: string, why: string): Failure {
  return { kind: 'unreadable', message: `Flipt at ${url} returned an unreadable response: ${why}` };
}

/** Describes an encoding that this package cannot decode. */
export function foreignEncoding({ headers, redact }: Pick<Reply, 'headers' | 'redact'>): string | undefined {
  const encoding = String(headers['content-encoding'] ?? 'identity').trim();
  if (/^(?:identity|(?:x-)?gzip)$/i.test(encoding)) return undefined;
  return `a body in the encoding ${quoted(oneLine(redact(beginningOf(encoding))))}, which was not asked for`;
}

/** Describes in one line what came instead of the expected content. */
export function contentWords({ headers, text, redact }: Reply): string {
  if (text.trim() === '') return 'an empty body';
  const foreign = foreignEncoding({ headers, redact });
  if (foreign !== undefined) return foreign;
  const type = headers['content-type'];
  const kind = typeof type === 'string' ? oneLine(redact(type).split(';', 1)[0] ?? '') : 'a body';
  // Redacted before it is cut, so that no credential is cut in two and missed.
  const beginning = beginningOf(redact(text.trimStart().slice(0, LARGEST_ERROR)));
  return `${kind} beginning ${JSON.stringify(oneLine(beginning))}`;
}
