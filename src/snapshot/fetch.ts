import type { Clock } from '../base/time/clock.js';
import { messageOf } from '../base/text/describe.js';
import type { V2Semantics } from '../engine/version-differences.js';
import { environmentHeaders, type Redact, type Reply, type Send } from '../http/reply.js';
import {
  contentWords,
  foreignEncoding,
  isUnknownPath,
  serviceErrorOf,
  statusFailure,
  unreadable,
} from '../http/failures.js';
import { retryAfterMs } from '../http/retry.js';
import { rejectsCredentials, type Failure } from '../model/failure.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { cutBody } from './body.js';
import { snapshotOf, type Known } from './snapshot.js';
import { MOST_SNAPSHOT_BYTES, sendableEtag } from './wire.js';

/** The service does not know the path or the method, or does not allow them with these credentials. */
export const NOT_OFFERED: readonly number[] = [403, 404, 405, 501];

export type Fetched =
  | { readonly kind: 'unchanged' }
  | ({ readonly kind: 'snapshot'; readonly wholeMs: number } & Known)
  | Failed;

export interface Failed {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** This Flipt, or what stands in front of it, may have no snapshots. */
  readonly offersNone: boolean;
  /** Flipt does not know the namespace. */
  readonly isUnknown: boolean;
  readonly retryAfterMs: number | undefined;
}

export function failedBy(failure: Failure): Failed {
  return { kind: 'failed', failure, offersNone: false, isUnknown: false, retryAfterMs: undefined };
}

export interface HowToFetch {
  readonly etag?: string | undefined;
  /** Longer silence ends the request, with its connection. */
  readonly silentMs?: number | undefined;
  /** Asked once the body is there. */
  readonly semantics: () => V2Semantics | Promise<V2Semantics>;
}

// Flipt v1 takes about 25 s for 10,000 flags.
export const LONGEST_FETCH_MS = 60_000;
// Without this header, Flipt v1 omits default variants, and constraints on entity ids, under the same ETag.
const VERSION_HEADERS = { 'x-flipt-accept-server-version': '1.61.1' };

/** Makes one request for the snapshot. The promise never rejects. */
export function snapshotFetcher(
  send: Send,
  { url, namespace, environment }: SnapshotPlace,
  clock: Clock,
  signal: AbortSignal,
) {
  const path = `/internal/v1/evaluation/snapshot/namespace/${encodeURIComponent(namespace)}`;
  const headers = {
    ...VERSION_HEADERS,
    ...environmentHeaders(environment),
    'accept-encoding': 'gzip',
    'cache-control': 'no-cache',
  };

  return async ({ etag, silentMs, semantics }: HowToFetch): Promise<Fetched> => {
    const startedAt = clock.now();
    const outcome = await send({
      method: 'GET',
      path,
      headers: { ...headers, ...(etag !== undefined && { 'if-none-match': etag }) },
      download: {
        timeoutMs: LONGEST_FETCH_MS,
        maxBytes: MOST_SNAPSHOT_BYTES,
        ...(silentMs !== undefined && { silentMs }),
      },
      repeatable: true,
      signal,
    });
    if (outcome.kind !== 'reply') return failedBy(outcome);
    if (outcome.status === 304) {
      return etag === undefined
        ? failedBy(unreadable(url, 'a 304 to a request without an ETag'))
        : { kind: 'unchanged' };
    }
    if (outcome.status !== 200) return failedWithStatus(url, outcome, clock.date());
    if (outcome.bytes === undefined || !isJson(outcome)) {
      const failure = unreadable(url, `${contentWords(outcome)} instead of a snapshot`);
      return { ...failedBy(failure), offersNone: true };
    }
    const wholeMs = clock.now() - startedAt;
    const { redact } = outcome;
    try {
      const body = await cutBody(outcome.bytes, clock);
      const newEtag = withoutCredentials(sendableEtag(outcome.headers.etag), redact);
      const digest = withoutCredentials(body.rest.digest, redact);
      const read = { ...body, rest: { ...body.rest, digest: digest ?? '' } };
      const snapshot = await snapshotOf(read, namespace, newEtag, clock, await semantics());
      return { kind: 'snapshot', snapshot, etag: newEtag, wholeMs };
    } catch (error) {
      const why = foreignEncoding(outcome) ?? redact(messageOf(error));
      return failedBy(unreadable(url, `a snapshot that cannot be used: ${why}`));
    }
  };
}

const NOT_FOUND = 5;

function failedWithStatus(url: string, reply: Reply, date: number): Failed {
  const failure = statusFailure(url, reply);
  const isNotFound = failure.kind === 'not-found' && serviceErrorOf(reply)?.code === NOT_FOUND;
  return {
    kind: 'failed',
    failure,
    // Flipt can demand credentials for snapshots alone.
    offersNone: NOT_OFFERED.includes(reply.status) || rejectsCredentials(failure),
    isUnknown: isNotFound && !isUnknownPath(reply),
    retryAfterMs: retryAfterMs(reply, date),
  };
}

function isJson({ headers }: Reply): boolean {
  return /^application\/(?:[\w.+-]*\+)?json\b/i.test(String(headers['content-type']));
}

/** A server that repeats the credentials in a tag must not get them into a file or a log. */
function withoutCredentials(tag: string | undefined, redact: Redact): string | undefined {
  return tag === undefined || redact(tag) === tag ? tag : undefined;
}
