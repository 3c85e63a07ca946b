/*
 * The service's interface as this package speaks of it: requests, replies, and the words for what went wrong.
 */
import type { Failure } from '../model/failure.js';
import { oneLine } from '../text/quote.js';
import { failureKindOf } from './status.js';
import type { Redact } from './redact.js';

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the base address, beginning with a slash; with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that hold credentials: sent too, before all others of their names, and never shown. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** What is secret in the body: never shown, as credentials are not. */
  readonly secrets?: readonly string[];
  /** For a large answer that is fetched in the background: its limits. A 200 is then given as bytes. */
  readonly download?: Download;
  /**
   * A 200 is read as it comes, over a connection apart from all others. It lasts until `signal` ends it.
   */
  readonly stream?: true;
  /** Whether it may be sent again after a failure of the connection or of a gateway. */
  readonly repeatable: boolean;
  /** Ends the request when the caller gives up. */
  readonly signal?: AbortSignal | undefined;
}

export interface Download {
  /** Milliseconds for all of it. The timer does not keep the process alive. */
  readonly timeoutMs: number;
  /** Decompressed. */
  readonly maxBytes: number;
}

/** An answer of whatever status. */
export interface Reply {
  readonly kind: 'reply';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of a 200 as it came: an answer must not be changed. Of an error the beginning, through `redact`. */
  readonly text: string;
  /** Of a download that is a 200: all of it, decompressed. `text` is its beginning then. */
  readonly bytes?: Buffer;
  /** Of a stream that is a 200. It must be read. */
  readonly chunks?: AsyncIterable<Uint8Array>;
  /** For what is shown of an answer: it may repeat the request. */
  readonly redact: Redact;
  /** Ends the message about a 401, if no credentials are configured. */
  readonly missingCredentials?: string | undefined;
}

/** The failure of a request that its caller's signal has ended. */
export const ENDED: Failure = { kind: 'closed', message: 'the request was ended before its answer came' };

/** Never rejects. */
export type Send = (request: ServiceRequest) => Promise<Reply | Failure>;

export function environmentHeaders(environment: string | undefined): Readonly<Record<string, string>> {
  return environment === undefined ? {} : { 'x-flipt-environment': environment };
}

/** Characters of an error that are looked at. No error of the service's is as long. */
export const LARGEST_ERROR = 256 * 1024;

/** Levels of lists and objects in an error's details. */
const DEEPEST_DETAILS = 32;

/** The service's own error body: a gRPC code and a message. Without credentials. */
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
    // A logger must be able to write it.
    if (!isShallow(details, DEEPEST_DETAILS)) return undefined;
    return { code, message: reply.redact(message), details: redacted(details, reply.redact) };
  } catch {
    return undefined;
  }
}

/** Once more after the escapes of JSON are gone, which may spell a credential: in values and in names. */
function redacted(details: readonly unknown[], redact: Redact): readonly unknown[] {
  const value = (member: unknown): unknown => {
    if (typeof member === 'string') return redact(member);
    if (Array.isArray(member)) return member.map(value);
    if (typeof member !== 'object' || member === null) return member;
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [redact(name), value(inner)]));
  };
  return details.map(value);
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

export function statusFailure(url: string, reply: Reply): Failure {
  return { kind: failureKindOf(reply.status), message: `Flipt at ${url} answered ${statusWords(reply)}` };
}

/** The status, and what the service or a proxy says of it. */
export function statusWords(reply: Reply): string {
  const { status } = reply;
  const words = oneLine(serviceErrorOf(reply)?.message ?? '');
  if (status === 401) {
    const { missingCredentials } = reply;
    const advice = missingCredentials === undefined ? ' (check the option auth)' : `; ${missingCredentials}`;
    return `401: ${words || 'unauthorized'}${advice}`;
  }
  if (status === 403) return `403: ${words || 'forbidden'} (check what the credentials allow)`;
  if (words === '' && status >= 300 && status < 400) return `${status}, a redirect, which is not followed`;
  const said = words === '' ? `${status} with ${contentWords(reply)}` : `${status}: ${words}`;
  // What Flipt says of a path that it does not know. What it does not find on a path, it names.
  const isNoPath = status === 404 && (words === '' || words === 'Not Found');
  return isNoPath ? `${said} (check the path in the option url)` : said;
}

export function unreadable(url: string, why: string): Failure {
  return { kind: 'unreadable', message: `Flipt at ${url} returned an unreadable response: ${why}` };
}

/** What came instead of what was expected, in one line that is safe to log. */
export function contentWords({ headers, text, redact }: Reply): string {
  if (text.trim() === '') return 'an empty body';
  const type = headers['content-type'];
  const named = typeof type === 'string' ? oneLine(redact(type).split(';', 1)[0] ?? '') : 'a body';
  // What is cut off within a credential is not shown: of so much, the first 60 characters.
  const beginning = redact(text.trimStart().slice(0, LARGEST_ERROR)).slice(0, 60);
  return `${named} beginning ${JSON.stringify(oneLine(beginning))}`;
}
