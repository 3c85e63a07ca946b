import type { Clock } from '../base/time/clock.js';
import { isV2, NEWEST_V2 } from '../engine/version-differences.js';
import type { Redact } from '../http/redact.js';
import { environmentHeaders, type Reply, type Send, NOT_OFFERED } from '../http/reply.js';
import {
  contentWords,
  foreignEncoding,
  isUnknownPath,
  serviceErrorOf,
  statusFailure,
  unreadable,
} from '../http/reply-message.js';
import { retryAfterMs } from '../http/retries.js';
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
  /** Default: a request may be silent until its time is up. */
  readonly http?: { readonly timeoutMs: number };
  /** A kept snapshot that is still being read. */
  readonly expected?: ExpectedSnapshot | undefined;
  /** Whether somebody has to learn which flags have changed. Default: yes. */
  readonly isCompared?: (() => boolean) | undefined;
}

/** What is known of a kept snapshot while its flags are read. */
export interface ExpectedSnapshot {
  readonly etag: string | undefined;
  /** `undefined` if it cannot be used. Never rejects. */
  readonly whole: Promise<Known | undefined>;
}

/** What was fetched last: a snapshot, and what is known about it. */
export interface Known {
  readonly snapshot: Snapshot;
  /** The ETag that came with it. */
  readonly etag: string | undefined;
}

/** What is known about a snapshot, without how it was fetched. */
export function knownOf({ snapshot, etag }: Known): Known {
  return { snapshot, etag };
}

/** The outcome of a request for the snapshot. */
export type Fetched =
  | Served
  /** Another instance asks the service, and has found nothing since. `againInMs`: when to look again. */
  | { readonly kind: 'no-news'; readonly againInMs?: number }
  /** A request that began later was answered before this one. Its answer is the newer one. */
  | { readonly kind: 'overtaken' }
  /**
   * The request failed. `offersNone`: the service seems to have no snapshots at all. `isUnknown`: it has snapshots, but
   * does not know the namespace or the environment. `isSilent`: given up, because no response came in time.
   */
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly offersNone: boolean;
      readonly isUnknown: boolean;
      readonly isSilent: boolean;
      readonly retryAfterMs: number | undefined;
    };

/** The snapshot of the service. `unchanged`: it is the known one, which is still current. */
export interface Served extends Known {
  readonly kind: 'snapshot' | 'unchanged';
  /** When the service confirmed it to another instance, in the clock's milliseconds. Default: just now, to this one. */
  readonly confirmedAt?: number;
  /** Of this instance's own polls: those of another one, which polls for all, make none rarer. */
  readonly cost: PollCost;
}

/** Never rejects. Default: the `schedule` asks. */
export type FetchSnapshot = (known: Known | undefined, asker?: Asker) => Promise<Fetched>;

/** Large enough for a large namespace and a slow store. */
const LIMITS = { timeoutMs: LONGEST_FETCH_MS, maxBytes: MOST_SNAPSHOT_BYTES };

/** Without this header, v1 leaves out default variants. */
const VERSION_HEADERS = { 'x-flipt-accept-server-version': '1.61.1' };

/**
 * Default `version`: Flipt is not asked for it, and the newest rules of v2 apply. Default `bodies`: those of a
 * fetcher that nobody polls with. Default `tags`: each request names the tag that is known.
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
  const semanticsAfter = (known?: Known) => version?.semantics.after(known?.snapshot.semantics) ?? NEWEST_V2;

  return async (known, asker) => {
    version?.polling();
    const first = await requests.send(() => request(known, asker, expected));
    // While the first poll was under way, Flipt may have said that its tags lie.
    const fetched = tags?.isMisled() ? await requests.send(() => request(known, asker, expected)) : first;
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

  /** The answer to a request that names this tag, or none. */
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
      // Where one request is silent, other connections of the pool may be dead as well.
      newConnection: requests.silences() > 0 || requests.underWay() > 1,
      repeatable: true,
      signal,
    });
    if (outcome.kind !== 'reply') return { ...failedBy(outcome), isSilent: outcome.kind === 'timeout' };
    if (outcome.status === 304) {
      if (etag === undefined) return failedBy(unreadable(url, 'a 304 to a request without an ETag'));
      const confirmed = known ?? (await kept?.whole);
      // What was kept cannot be used.
      if (confirmed === undefined) return answer(undefined, undefined, undefined);
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

  /** An unchanged snapshot is read by other rules, if Flipt has been upgraded. */
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

/** Whether evaluation finds no difference. A tag that lies shows none where there is one. */
async function isSame(before: Snapshot, after: Snapshot, clock: Clock): Promise<boolean> {
  return (
    before.version === after.version &&
    before.semantics === after.semantics &&
    (await changes(before, after, clock)).length === 0
  );
}

/** Counts the requests, of which several may be under way. An answer counts only if no later request was answered. */
function requestsInOrder() {
  let sent = 0;
  let underWay = 0;
  /** The last request that was answered. */
  let answered = 0;
  let silences = 0;
  return {
    /** Its outcome, which is `overtaken` if it does not count. */
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
    /** How many of the last requests were silent, one after another. */
    silences: () => silences,
  };
}

/** gRPC's code for something that does not exist. */
const NOT_FOUND = 5;

function failedWithStatus(url: string, reply: Reply, date: number): Fetched {
  const failure = statusFailure(url, reply);
  const isNotFound = failure.kind === 'not-found' && serviceErrorOf(reply)?.code === NOT_FOUND;
  return {
    ...failedBy(failure),
    // Snapshots may need credentials where questions need none.
    offersNone: NOT_OFFERED.includes(reply.status) || rejectsCredentials(failure),
    isUnknown: isNotFound && !isUnknownPath(reply),
    retryAfterMs: retryAfterMs(reply, date),
  };
}

function notASnapshot(url: string, reply: Reply): Fetched {
  return { ...failedBy(unreadable(url, `${contentWords(reply)} instead of a snapshot`)), offersNone: true };
}

/** A request that failed in no way that says more about the service. */
export function failedBy(failure: Failure) {
  const unless = { offersNone: false, isUnknown: false, isSilent: false, retryAfterMs: undefined };
  return { kind: 'failed', failure, ...unless } as const;
}

function isJson({ headers }: Reply): boolean {
  return /^application\/(?:[\w.+-]*\+)?json\b/i.test(String(headers['content-type']));
}

/** A tag in which the service repeats a credential counts as none: it would be shown in the status and kept in files. */
function withoutCredentials(tag: string | undefined, redact: Redact): string | undefined {
  return tag === undefined || redact(tag) === tag ? tag : undefined;
}
