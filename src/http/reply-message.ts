import type { Failure } from '../model/failure.js';
import { beginningOf, oneLine } from '../text/describe.js';
import { isUnknownPath, LARGEST_ERROR, serviceErrorOf } from './error-body.js';
import { failureKindOf } from './failure-of-status.js';
import type { Reply } from './reply.js';

export function statusFailure(url: string, reply: Reply): Failure {
  return {
    kind: failureKindOf(reply.status),
    message: `Flipt at ${url}${reply.beside ?? ''} answered ${statusWords(reply)}`,
  };
}

/** The status, and what the service or a proxy says about it. */
export function statusWords(reply: Reply): string {
  const { status } = reply;
  const words = oneLine(serviceErrorOf(reply)?.message ?? '');
  if (status === 401) {
    return `401: ${words || 'unauthorized'}; ${reply.credentialsAdvice ?? 'check the option auth'}`;
  }
  if (status === 403) return `403: ${words || 'forbidden'} (check what the credentials allow)`;
  if (words === '' && status >= 300 && status < 400) return `${status}, a redirect, which is not followed`;
  const said = words === '' ? `${status} with ${contentWords(reply)}` : `${status}: ${words}`;
  return isUnknownPath(reply) ? `${said} (check the path in the option url)` : said;
}

export function unreadable(url: string, why: string): Failure {
  return { kind: 'unreadable', message: `Flipt at ${url} returned an unreadable response: ${why}` };
}

/** What arrived instead of the expected content, in one line that is safe to log. */
export function contentWords({ headers, text, redact }: Reply): string {
  if (text.trim() === '') return 'an empty body';
  const type = headers['content-type'];
  const named = typeof type === 'string' ? oneLine(redact(type).split(';', 1)[0] ?? '') : 'a body';
  // Redacts more than it shows, so that no credential is cut in two and missed.
  const beginning = beginningOf(redact(text.trimStart().slice(0, LARGEST_ERROR)));
  return `${named} beginning ${JSON.stringify(oneLine(beginning))}`;
}
