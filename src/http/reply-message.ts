import type { Failure } from '../model/failure.js';
import { beginningOf, isRecord, isShallow, oneLine, quoted } from '../base/text/describe.js';
import { parsedJson } from '../base/text/json.js';
import { PROXY_USER_ADVICE, PROXY_WANTS_USER } from './proxy.js';
import { failureKindOf, type Reply } from './reply.js';
import type { Redact } from './redact.js';

/**
 * A message about a reply uses at most this many characters of the reply. Flipt's own errors are usually far shorter.
 */
export const LARGEST_ERROR = 256 * 1024;

/** Lists and objects in the details of an error can be nested at most this deep. */
const DEEPEST_DETAILS = 32;

/**
 * Returns the service's own error from a reply, redacted: a gRPC code, a message and details. Returns `undefined` if
 * the body is no error in Flipt's format, or if the details are nested too deep.
 */
export function serviceErrorOf({ text, redact }: Reply) {
  const body = parsedJson(text);
  if (!isRecord(body) || typeof body.message !== 'string') return undefined;
  const code = typeof body.code === 'number' ? body.code : undefined;
  const details: readonly unknown[] = Array.isArray(body.details) ? body.details : [];
  // An error with deeper details is ignored as a whole, because a logger must be able to print the details.
  if (!isShallow(details, DEEPEST_DETAILS)) return undefined;
  return { code, message: redact(body.message), details: redacted(details, redact) };
}

/**
 * Returns whether the reply says that Flipt does not know the path. If Flipt does not know a path, it answers only
 * `Not Found`, and a proxy does not answer in Flipt's format at all. If Flipt knows the path but something on it is
 * missing, Flipt's message names what is missing.
 */
export function isUnknownPath(reply: Reply): boolean {
  const said = serviceErrorOf(reply)?.message.trim() || 'Not Found';
  return failureKindOf(reply.status) === 'not-found' && said === 'Not Found';
}

/**
 * Redacts the names and values in the details, because escapes in JSON might have hidden a credential from the first
 * redaction.
 */
function redacted(details: readonly unknown[], redact: Redact): readonly unknown[] {
  const value = (member: unknown): unknown => {
    if (typeof member === 'string') return redact(member);
    if (Array.isArray(member)) return member.map(value);
    if (!isRecord(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [redact(name), value(inner)]));
  };
  return details.map(value);
}

export function statusFailure(url: string, reply: Reply): Failure {
  return {
    kind: failureKindOf(reply.status),
    message: `Flipt at ${url}${reply.beside ?? ''} answered ${statusWords(reply)}`,
  };
}

/** Returns words that say which status came, and what the service or a proxy says about the status. */
export function statusWords(reply: Reply): string {
  const { status } = reply;
  const kind = failureKindOf(status);
  const words = oneLine(serviceErrorOf(reply)?.message ?? '');
  if (kind === 'unauthorized') {
    return `${status}: ${words || 'unauthorized'}; ${reply.credentialsAdvice ?? 'check the option auth'}`;
  }
  if (kind === 'forbidden') return `${status}: ${words || 'forbidden'} (check what the credentials allow)`;
  if (status === PROXY_WANTS_USER) {
    return `${status}${words && `: ${words}`}; ${reply.proxyAdvice ?? PROXY_USER_ADVICE}`;
  }
  if (words === '' && status >= 300 && status < 400)
    return `${status}, a redirect${whereTo(reply)}, which is not followed`;
  const said = words === '' ? `${status} with ${contentWords(reply)}` : `${status}: ${words}`;
  return isUnknownPath(reply) ? `${said} (check the path in the option url)` : said;
}

/**
 * Returns words that say where a redirect leads. The words leave out the query of the address, which might hold
 * somebody's credential. The provider does not follow a redirect, because the credentials would travel with the
 * request.
 */
function whereTo({ headers: { location }, redact }: Reply): string {
  if (typeof location !== 'string') return '';
  const [address = ''] = redact(location).split(/[?#]/, 1);
  const shown = beginningOf(oneLine(address.replace(/\/\/[^/@]*@/, '//')));
  return shown === '' ? '' : ` to ${shown}`;
}

export function unreadable(url: string, why: string): Failure {
  return { kind: 'unreadable', message: `Flipt at ${url} returned an unreadable response: ${why}` };
}

/**
 * Describes the encoding of a body if this package cannot decode the encoding. Returns `undefined` for gzip, and for a
 * body without an encoding.
 */
export function foreignEncoding({ headers, redact }: Pick<Reply, 'headers' | 'redact'>): string | undefined {
  const encoding = String(headers['content-encoding'] ?? 'identity').trim();
  if (/^(?:identity|(?:x-)?gzip)$/i.test(encoding)) return undefined;
  return `a body in the encoding ${quoted(oneLine(redact(beginningOf(encoding))))}, which was not asked for`;
}

/**
 * Describes in one line what arrived instead of the expected content. Credentials are redacted, so that the line is
 * safe to log.
 */
export function contentWords({ headers, text, redact }: Reply): string {
  if (text.trim() === '') return 'an empty body';
  const foreign = foreignEncoding({ headers, redact });
  if (foreign !== undefined) return foreign;
  const type = headers['content-type'];
  const named = typeof type === 'string' ? oneLine(redact(type).split(';', 1)[0] ?? '') : 'a body';
  // More text is redacted than is shown, so that no credential is cut in two and missed.
  const beginning = beginningOf(redact(text.trimStart().slice(0, LARGEST_ERROR)));
  return `${named} beginning ${JSON.stringify(oneLine(beginning))}`;
}
