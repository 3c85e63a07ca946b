/* How this package describes the service's interface: requests, replies and failures. */
import type { Failure } from '../model/failure.js';
import { isShallow } from '../text/describe.js';
import { oneLine } from '../text/quote.js';
import { failureKindOf } from './status.js';
import type { Redact } from './redact.js';

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Begins with a slash and includes the query; added to the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that hold credentials. They replace other headers with the same names, and are never shown. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** Secrets in the body: never shown, like credentials. */
  readonly secrets?: readonly string[];
  /** The limits of a large answer that is fetched in the background. A 200 then has `bytes`. */
  readonly download?: Download;
  /**
   * Over a connection of its own, which is closed afterwards: those in the pool may be dead. A dispatcher of the user's
   * chooses by itself.
   */
  readonly newConnection?: boolean;
  /** A 200 is read while it arrives, over a connection of its own. It lasts until `signal` ends it. */
  readonly stream?: true;
  /** Whether it may be sent again after the connection or a gateway fails. */
  readonly repeatable: boolean;
  /** Ends the request when the caller gives up. */
  readonly signal?: AbortSignal | undefined;
}

export interface Download {
  /** Milliseconds for the whole request. The timer does not keep the process alive. */
  readonly timeoutMs: number;
  /** Milliseconds until the response begins, and between two parts of it. Default: no limit but `timeoutMs`. */
  readonly silentMs?: number;
  /** Measured after decompression. */
  readonly maxBytes: number;
}

/** A response with any status. */
export interface Reply {
  readonly kind: 'reply';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** A 200: as it was sent, because an answer must not be changed. An error: its beginning, redacted. */
  readonly text: string;
  /** A download with status 200: the whole body, decompressed. `text` is then its beginning. */
  readonly bytes?: Buffer;
  /** A stream with status 200. The caller must read it. */
  readonly chunks?: AsyncIterable<Uint8Array>;
  /** Use this before showing any part of an answer, which may repeat the request. */
  readonly redact: Redact;
  /** What to check after a 401; ends its message. */
  readonly credentialsAdvice?: string;
}

/** The failure of a request that its caller's signal has ended. */
export const ENDED: Failure = { kind: 'closed', message: 'the request was ended before its answer came' };

/** Never rejects. */
export type Send = (request: ServiceRequest) => Promise<Reply | Failure>;

export function environmentHeaders(environment: string | undefined): Readonly<Record<string, string>> {
  return environment === undefined ? {} : { 'x-flipt-environment': environment };
}

/** So many characters of an error are read. The service's own errors are shorter. */
export const LARGEST_ERROR = 256 * 1024;

/** Levels of lists and objects in an error's details. */
const DEEPEST_DETAILS = 32;

/** The service's own error body, redacted: a gRPC code and a message. */
export interface ServiceError {
  readonly code: number | undefined;
  readonly message: string;
  readonly details: readonly unknown[];
}

export function serviceErrorOf(reply: Reply): ServiceError | undefined {
  try {
    const body: unknown = JSON.parse(reply.text);
    if (typeof body !== 'object' || body === null || !('message' in body)) return undefined;
    const { message } = body;
    if (typeof message !== 'string') return undefined;
    const code = 'code' in body && typeof body.code === 'number' ? body.code : undefined;
    const details = 'details' in body && Array.isArray(body.details) ? (body.details as unknown[]) : [];
    // A logger must be able to print the details.
    if (!isShallow(details, DEEPEST_DETAILS)) return undefined;
    return { code, message: reply.redact(message), details: redacted(details, reply.redact) };
  } catch {
    return undefined;
  }
}

/** Redacts again, values and names, because JSON escapes may have hidden a credential. */
function redacted(details: readonly unknown[], redact: Redact): readonly unknown[] {
  const value = (member: unknown): unknown => {
    if (typeof member === 'string') return redact(member);
    if (Array.isArray(member)) return member.map(value);
    if (typeof member !== 'object' || member === null) return member;
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [redact(name), value(inner)]));
  };
  return details.map(value);
}

export function statusFailure(url: string, reply: Reply): Failure {
  return { kind: failureKindOf(reply.status), message: `Flipt at ${url} answered ${statusWords(reply)}` };
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
  // Flipt says this about a path that it does not know. If something on a known path is missing, Flipt names it.
  const isNoPath = status === 404 && (words === '' || words === 'Not Found');
  return isNoPath ? `${said} (check the path in the option url)` : said;
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
  const beginning = redact(text.trimStart().slice(0, LARGEST_ERROR)).slice(0, 60);
  return `${named} beginning ${JSON.stringify(oneLine(beginning))}`;
}
