import { FAILURES, type Failure, type FailureKind, type FailurePolicy } from '../model/failure.js';
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
  /**
   * Nothing depends on its answer: no outcome counts as a failure, and a 401 renews no credentials. Default: it counts.
   */
  readonly optional?: true;
  /** Whether it may be sent again after the connection or a gateway fails. */
  readonly repeatable: boolean;
  /** Ends the request when the caller gives up. */
  readonly signal?: AbortSignal | undefined;
}

export interface Download {
  /** Milliseconds for the whole request. The timer keeps the process alive only if a call waits: without a background. */
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
  /** Follows the address of the service in the message about an error. */
  readonly beside?: string;
  /** What to check after a 401; ends its message. */
  readonly credentialsAdvice?: string;
}

export type Outcome = Reply | Failure;

/** Never rejects. */
export type Send = (request: ServiceRequest) => Promise<Outcome>;

export function environmentHeaders(environment: string | undefined): Readonly<Record<string, string>> {
  return environment === undefined ? {} : { 'x-flipt-environment': environment };
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

/** The kind of failure that an HTTP status other than 200 stands for. */
export function failureKindOf(status: number): FailureKind {
  return KINDS.get(status) ?? 'unexpected-status';
}

/** The outcome of an attempt: a kind of failure, or `undefined` for a 200. */
export function failureKindOfOutcome(outcome: Outcome): FailureKind | undefined {
  if (outcome.kind !== 'reply') return outcome.kind;
  return outcome.status === 200 ? undefined : failureKindOf(outcome.status);
}

/** What follows from an attempt that failed; `undefined` for a 200. */
export function policyOfOutcome(outcome: Outcome): FailurePolicy | undefined {
  const kind = failureKindOfOutcome(outcome);
  return kind && FAILURES[kind];
}

/**
 * The statuses of a service that does not have a path at all: it is unknown, or its method, or these credentials do not
 * allow it. Callers add what means the same on their path alone.
 */
export const NOT_OFFERED: readonly number[] = [403, 404, 405, 501];
