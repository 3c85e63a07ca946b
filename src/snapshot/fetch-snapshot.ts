import type { Clock } from '../base/time/clock.js';
import { isV2, NEWEST_V2 } from '../engine/version-differences.js';
import type { Redact } from '../http/reply.js';
import { environmentHeaders, type Reply, type Send, NOT_OFFERED } from '../http/reply.js';
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
import { MOST_SNAPSHOT_BYTES } from './stores/snapshot-size.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { messageOf } from '../base/text/describe.js';
import { sendableEtag } from '../base/text/header.js';
import { parseSnapshot } from './body/parse-snapshot.js';
import { WholeSnapshots, type PollCost } from './poll-cost.js';
import { LONGEST_FETCH_MS, likelyWholeMs, silenceLimitMs } from './silence.js';
import type { Asker, TagTrust } from './tag-trust.js';
import type { FliptVersion } from './ask-version.js';
import { changes, readByRules, snapshotOf, type Snapshot } from './snapshot.js';

export interface FetchSettings extends SnapshotPlace {
  /**
   * The option `http.timeoutMs`, the duration of a whole snapshot and the number of polls without a response decide how
   * long the provider waits for a response to a poll. Without `http`, the provider waits until the time limit of the
   * whole request.
   */
  readonly http?: { readonly timeoutMs: number };
  /** A long saved snapshot whose flags have not been read yet, or `undefined` if no such snapshot is known. */
  readonly expected?: ExpectedSnapshot | undefined;
  /**
   * Returns whether the watch has to report which flags have changed. By default, the watch always reports which flags
   * have changed.
   */
  readonly isCompared?: (() => boolean) | undefined;
}

/**
 * What is known about the snapshot that an earlier run has saved, as long as the flags of that snapshot have not been
 * read.
 */
export interface ExpectedSnapshot {
  readonly etag: string | undefined;
  /**
   * Reads the flags of the saved snapshot now. The promise resolves with the snapshot from which the provider starts,
   * or with `undefined` if there is none. The provider usually starts from the saved snapshot, but starts from the
   * option `snapshot.initial` if that is younger or if the saved snapshot cannot be used. The promise never rejects.
   */
  readonly whole: () => Promise<Known | undefined>;
}

/** A snapshot and its ETag. */
export interface Known {
  readonly snapshot: Snapshot;
  /** The ETag that came with the snapshot, or `undefined` if there is none that the next request can send. */
  readonly etag: string | undefined;
}

/** Returns the snapshot and its ETag, without the other members of `Served`. */
export function knownOf({ snapshot, etag }: Known): Known {
  return { snapshot, etag };
}

/** The outcome of a request for the snapshot. */
export type Fetched =
  | Served
  /**
   * The store that many instances share has no new snapshot, or the service has asked for a pause. This instance should
   * read the store again after `againInMs` milliseconds. If `againInMs` is missing, this instance reads the store again
   * after `pollMs`.
   */
  | { readonly kind: 'no-news'; readonly againInMs?: number }
  /**
   * A later request has succeeded before this request ended. The answer to the later request is newer, so this request
   * has no effect.
   */
  | { readonly kind: 'overtaken' }
  /**
   * The request failed. `offersNone` means that the service seems to offer no snapshots at all to this provider.
   * `isUnknown` means that the service has snapshots, but does not know the namespace or the environment. `isSilent`
   * means that the response, or the rest of it, did not come in time. `retryAfterMs` is the pause for which the service
   * has asked, or `undefined` if it has asked for none.
   */
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly offersNone: boolean;
      readonly isUnknown: boolean;
      readonly isSilent: boolean;
      readonly retryAfterMs: number | undefined;
    };

/**
 * A snapshot that the service has served or confirmed, or an empty snapshot that the provider has made because it
 * accepts the loss of all flags. If the kind is `unchanged`, the snapshot is the same as before the request.
 */
export interface Served extends Known {
  readonly kind: 'snapshot' | 'unchanged';
  /**
   * The reason why the provider believes that the namespace no longer has any flags. `isEmptyBecause` is missing if the
   * namespace has flags, or if it had no flags before.
   */
  readonly isEmptyBecause?: string;
  /**
   * The time at which the service confirmed the snapshot to another instance, in milliseconds of `clock.now()`. By
   * default, the service has just confirmed the snapshot to this instance.
   */
  readonly confirmedAt?: number;
  /**
   * What the polls of this instance cost Flipt. If instances share a store, the cost is usually `NO_COST`, so that
   * polls do not become rarer even if they cost Flipt much.
   */
  readonly cost: PollCost;
}

/**
 * Requests the snapshot. `asker` is the reason for the poll. By default, the reason for a poll is `schedule`. The
 * promise never rejects.
 */
export type FetchSnapshot = (known: Known | undefined, asker?: Asker) => Promise<Fetched>;

/**
 * The limits of a request for the snapshot are large enough for a large namespace, and for a slow database behind
 * Flipt.
 */
const LIMITS = { timeoutMs: LONGEST_FETCH_MS, maxBytes: MOST_SNAPSHOT_BYTES };

/** Flipt v1 leaves default variants out of the snapshot if a request lacks this header. */
const VERSION_HEADERS = { 'x-flipt-accept-server-version': '1.61.1' };

/**
 * Makes the function that requests snapshots from Flipt. If `version` is missing, the provider does not ask Flipt for
 * its version, and reads snapshots of Flipt v2 by the evaluation rules of the newest release. If `bodies` is missing,
 * the function measures for itself how long whole snapshots take. If `tags` is missing, each poll first sends the ETag
 * of the known snapshot.
 */
export function snapshotFetcher(
  send: Send,
  { url, namespace, environment, http, expected, isCompared = () => true }: FetchSettings,
  clock: Clock,
  signal: AbortSignal,
  version?: FliptVersion,
  bodies = new WholeSnapshots(clock),
  tags?: TagTrust,
): FetchSnapshot {
  const path = `/internal/v1/evaluation/snapshot/namespace/${encodeURIComponent(namespace)}`;
  const headers = { ...VERSION_HEADERS, ...environmentHeaders(environment), 'accept-encoding': 'gzip' };
  const requests = requestsInOrder();
  /**
   * The saved snapshot of an earlier run. `unread` is cleared when a poll begins while a snapshot is in force, so that
   * the saved snapshot does not stay in memory.
   */
  let unread = expected;
  const semanticsAfter = (known?: Known) => version?.semantics.after(known?.snapshot.semantics) ?? NEWEST_V2;

  return async (known, asker) => {
    if (known !== undefined) unread = undefined;
    version?.polling();
    const first = await requests.send(() => request(known, asker, unread));
    // If Flipt has named a version with wrong ETags while a poll with an ETag was under way, the response 304 to this
    // poll does not count, and the provider polls once more.
    const fetched = tags?.isMisled() ? await requests.send(() => request(known, asker, unread)) : first;
    if (fetched.kind !== 'overtaken') version?.polled('snapshot' in fetched ? fetched.snapshot : undefined);
    return fetched;
  };

  async function request(
    known: Known | undefined,
    asker: Asker | undefined,
    kept: ExpectedSnapshot | undefined,
  ): Promise<Fetched> {
    const started = clock.now();
    const etag = tags?.mayName(asker) === false ? undefined : (known ?? kept)?.etag;
    const fetched = await answer(known, etag, kept);
    if (fetched.kind === 'failed') tags?.failed(etag !== undefined, clock.now() - started);
    return fetched;
  }

  /** Sends a request with the ETag `etag`, or without an ETag if `etag` is `undefined`. */
  async function answer(
    known: Known | undefined,
    etag: string | undefined,
    kept: ExpectedSnapshot | undefined,
  ): Promise<Fetched> {
    const started = clock.now();
    const wholeMs = bodies.unchanged().wholeMs || likelyWholeMs(known?.snapshot.flags.keys().size ?? 0);
    const outcome = await send({
      method: 'GET',
      path,
      headers: { ...headers, ...(etag !== undefined && { 'if-none-match': etag }) },
      download: {
        ...LIMITS,
        ...(http && { silentMs: silenceLimitMs(http.timeoutMs, wholeMs, requests.silences()) }),
      },
      repeatable: true,
      signal,
    });
    if (outcome.kind !== 'reply') return { ...failedBy(outcome), isSilent: outcome.kind === 'timeout' };
    if (outcome.status === 304) {
      if (etag === undefined) return failedBy(unreadable(url, 'a 304 to a request without an ETag'));
      const confirmed = known ?? (await kept?.whole());
      // The saved snapshot cannot be used, or has another ETag than the request has sent, so the request is sent again
      // without an ETag.
      if (confirmed === undefined || (known === undefined && confirmed.etag !== etag))
        return answer(undefined, undefined, undefined);
      tags?.confirmed();
      return unchanged(confirmed);
    }
    if (outcome.status !== 200) return failedWithStatus(url, outcome, clock.date());
    if (outcome.bytes === undefined || !isJson(outcome)) return notASnapshot(url, outcome);
    const ms = clock.now() - started;
    const cost = bodies.sent(ms);
    tags?.sentWhole(ms);
    try {
      const newEtag = withoutCredentials(sendableEtag(outcome.headers.etag), outcome.redact);
      const previous = isCompared() ? known?.snapshot : undefined;
      const parsed = await parseSnapshot(outcome.bytes, namespace, clock, () => semanticsAfter(known));
      const digest = withoutCredentials(parsed.digest, outcome.redact);
      const read = await snapshotOf({ ...parsed, digest }, clock, digest ?? newEtag);
      const snapshot = previous && (await isSame(previous, read, clock)) ? previous : read;
      version?.semantics.applied(snapshot.semantics);
      const kind = snapshot === previous ? 'unchanged' : 'snapshot';
      return { kind, snapshot, etag: newEtag, cost };
    } catch (error) {
      return failedBy(
        unreadable(
          url,
          `a snapshot that cannot be used: ${foreignEncoding(outcome) ?? outcome.redact(messageOf(error))}`,
        ),
      );
    }
  }

  /**
   * Returns the known snapshot, which Flipt has just confirmed. If Flipt has named a version with other evaluation
   * rules meanwhile, the snapshot is read again by the rules of that version.
   */
  function unchanged(known: Known): Served {
    const before = known.snapshot.semantics;
    const semantics = semanticsAfter(known);
    const isReadAlike = !isV2(before) || semantics === before;
    const snapshot = isReadAlike ? known.snapshot : readByRules(known.snapshot, semantics);
    version?.semantics.applied(snapshot.semantics);
    const kind = isReadAlike ? 'unchanged' : 'snapshot';
    return { ...knownOf(known), kind, snapshot, cost: bodies.unchanged() };
  }
}

/**
 * Returns whether both snapshots have the same version and give the same answers. Equal versions alone do not suffice,
 * because a Flipt with wrong ETags can give two different snapshots the same ETag.
 */
async function isSame(before: Snapshot, after: Snapshot, clock: Clock): Promise<boolean> {
  return (
    before.version === after.version &&
    before.semantics === after.semantics &&
    (await changes(before, after, clock)).length === 0
  );
}

/**
 * Counts the requests, of which several can be under way at once. The outcome of a request counts only if no later
 * request has succeeded.
 */
function requestsInOrder() {
  let sent = 0;
  let underWay = 0;
  /** The sequence number of the newest request that has succeeded. */
  let answered = 0;
  let silences = 0;
  return {
    /** Sends a request and returns its outcome, which is `overtaken` if a later request has succeeded first. */
    async send(request: () => Promise<Fetched>): Promise<Fetched> {
      const number = ++sent;
      underWay++;
      const fetched = await request();
      underWay--;
      if (number < answered) return { kind: 'overtaken' };
      const isFailed = fetched.kind === 'failed';
      if (!isFailed) answered = number;
      silences = isFailed && fetched.isSilent ? silences + 1 : 0;
      return fetched;
    },
    underWay: () => underWay,
    /** Returns how many of the last requests in a row got no response in time. */
    silences: () => silences,
  };
}

/** The code of gRPC for something that does not exist. */
const NOT_FOUND = 5;

function failedWithStatus(url: string, reply: Reply, date: number): Fetched {
  const failure = statusFailure(url, reply);
  const isNotFound = failure.kind === 'not-found' && serviceErrorOf(reply)?.code === NOT_FOUND;
  return {
    ...failedBy(failure),
    // Flipt can demand credentials for snapshots even if it evaluates flags without credentials.
    offersNone: NOT_OFFERED.includes(reply.status) || rejectsCredentials(failure),
    isUnknown: isNotFound && !isUnknownPath(reply),
    retryAfterMs: retryAfterMs(reply, date),
  };
}

function notASnapshot(url: string, reply: Reply): Fetched {
  return { ...failedBy(unreadable(url, `${contentWords(reply)} instead of a snapshot`)), offersNone: true };
}

export function failedBy(failure: Failure) {
  const unless = { offersNone: false, isUnknown: false, isSilent: false, retryAfterMs: undefined };
  return { kind: 'failed', failure, ...unless } as const;
}

function isJson({ headers }: Reply): boolean {
  return /^application\/(?:[\w.+-]*\+)?json\b/i.test(String(headers['content-type']));
}

/**
 * Returns the ETag or digest, or `undefined` if it contains a credential that the service has repeated. A credential in
 * an ETag or a digest would appear in the provider's status and in files.
 */
function withoutCredentials(tag: string | undefined, redact: Redact): string | undefined {
  return tag === undefined || redact(tag) === tag ? tag : undefined;
}
