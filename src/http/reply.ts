import { type Failure, type FailureKind } from '../model/failure.js';

/** Replaces the credentials of a request in a text, such as a gateway's error page that shows the whole request. */
export type Redact = (text: string) => string;

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** After the base address: begins with a slash, includes the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Win over other headers of the same names, and are never shown. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  /** In the body; no message and no log shows them. */
  readonly secrets?: readonly string[];
  /** With status 200, the reply then has `bytes`. */
  readonly download?: Download;
  /** With status 200, the reply then has `chunks`, and only `signal` limits their time. */
  readonly stream?: true;
  /** No outcome counts as a failure, and a 401 renews no credentials. */
  readonly optional?: true;
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface Download {
  /** For the whole request. Its timer does not keep the process alive. */
  readonly timeoutMs: number;
  /** Until the response begins, and between two parts of it. */
  readonly silentMs?: number;
  /** After decompression. */
  readonly maxBytes: number;
}

/** A response with any status. */
export interface Reply {
  readonly kind: 'reply';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** With status 200 as it was sent, because an answer must not be changed; else its redacted beginning. */
  readonly text: string;
  /** The whole body of a download, of which `text` is then only the beginning. */
  readonly bytes?: Buffer;
  /** The body of a stream, which the caller must read. */
  readonly chunks?: AsyncIterable<Uint8Array>;
  /** For any part of an answer that is shown: an answer can repeat the request. */
  readonly redact: Redact;
  /** Follows Flipt's address in messages, such as the proxy in use. */
  readonly beside?: string;
  /** Ends the message about a 401. */
  readonly credentialsAdvice?: string;
}

export type Outcome = Reply | Failure;

/** Never rejects. */
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

/** For a status other than 200. */
export function failureKindOf(status: number): FailureKind {
  return KINDS.get(status) ?? 'unexpected-status';
}

export function failureKindOfOutcome(outcome: Outcome): FailureKind | undefined {
  if (outcome.kind !== 'reply') return outcome.kind;
  return outcome.status === 200 ? undefined : failureKindOf(outcome.status);
}
