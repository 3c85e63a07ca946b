import { type Failure, type FailureKind } from '../model/failure.js';

/** Replaces the credentials of a request in a text, such as a gateway's error page that shows the whole request. */
export type Redact = (text: string) => string;

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path after the base address. The path begins with a slash and includes the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that hold credentials. These headers replace other headers with the same names, and are never shown. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** The body as JSON text. Default: no body. */
  readonly body?: string;
  /** Secrets in the body, which no message and no log shows. */
  readonly secrets?: readonly string[];
  /**
   * Limits for this request alone, for example for a poll or a login. If the response to a request with `download` has
   * status 200, the reply has `bytes`.
   */
  readonly download?: Download;
  /**
   * If `true`, the response is a stream: the caller reads the body of a response with status 200 while it arrives.
   * After the connection has opened, only `signal` limits the time of a stream.
   */
  readonly stream?: true;
  /**
   * If `true`, nothing depends on the answer: no outcome counts as a failure, and a 401 renews no credentials. Default:
   * outcomes count.
   */
  readonly optional?: true;
  /** Whether the request can be sent again, for example after the connection has failed. */
  readonly repeatable: boolean;
  /** Aborting this signal ends the request. A caller aborts the signal when the caller gives up. */
  readonly signal?: AbortSignal | undefined;
}

export interface Download {
  /**
   * How many milliseconds the whole request can take. The timer for this limit does not keep the process alive.
   */
  readonly timeoutMs: number;
  /**
   * How many milliseconds can pass until the response begins, and between two parts of the response. Default: there is
   * only the limit `timeoutMs`.
   */
  readonly silentMs?: number;
  /** How many bytes the body can have after decompression. */
  readonly maxBytes: number;
}

/** A response with any status. */
export interface Reply {
  readonly kind: 'reply';
  readonly status: number;
  /** The headers. The names of headers are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * The body of the response as text. With status 200, the text is as it was sent, because an answer must not be
   * changed. With any other status, the text is the redacted beginning of the body.
   */
  readonly text: string;
  /**
   * The whole body of a download with status 200, decompressed. If the reply has `bytes`, `text` is only the beginning
   * of the body.
   */
  readonly bytes?: Buffer;
  /** The body of a stream with status 200. The caller must read the body. */
  readonly chunks?: AsyncIterable<Uint8Array>;
  /**
   * Removes credentials from a text. Use this function before you show any part of an answer, because an answer can
   * repeat the request.
   */
  readonly redact: Redact;
  /** Words that follow the address of Flipt in the message about an error, such as the proxy in use. */
  readonly beside?: string;
  /** Advice about what to check after a 401. The message about the 401 ends with this advice. */
  readonly credentialsAdvice?: string;
}

export type Outcome = Reply | Failure;

/** Sends a request, and possibly repeats it. Never rejects. */
export type Send = (request: ServiceRequest) => Promise<Outcome>;

/** Flipt reads headers as UTF-8, and Node writes each character of a header as one byte. */
export function environmentHeaders(environment: string | undefined): Readonly<Record<string, string>> {
  return environment === undefined
    ? {}
    : { 'x-flipt-environment': Buffer.from(environment).toString('latin1') };
}

const STATUSES: readonly (readonly [FailureKind, ...number[]])[] = [
  ['rejected-request', 400, 422],
  ['unauthorized', 401],
  ['forbidden', 403],
  ['not-found', 404],
  ['too-large', 413],
  ['gateway', 408, 429, 502, 503, 504],
  ['service-error', 500],
];
const KINDS = new Map(STATUSES.flatMap(([kind, ...statuses]) => statuses.map((status) => [status, kind])));

/** Returns the kind of failure that an HTTP status other than 200 stands for. */
export function failureKindOf(status: number): FailureKind {
  return KINDS.get(status) ?? 'unexpected-status';
}

/** Returns the kind of failure with which an attempt has ended, or `undefined` for a reply with status 200. */
export function failureKindOfOutcome(outcome: Outcome): FailureKind | undefined {
  if (outcome.kind !== 'reply') return outcome.kind;
  return outcome.status === 200 ? undefined : failureKindOf(outcome.status);
}

/**
 * With these statuses, a service usually says that it does not offer a path at all: the service does not know the path
 * or the method, or does not allow it with the credentials of the request. Some callers treat further statuses like the
 * statuses in this list, but only for a certain path.
 */
export const NOT_OFFERED: readonly number[] = [403, 404, 405, 501];
