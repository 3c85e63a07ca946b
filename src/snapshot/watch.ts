import { LARGEST_TIMER_MS, type Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import type { WatchCondition } from '../diagnostics/events.js';
import type { Failure } from '../model/failure.js';
import { changes } from './changed-flags.js';
import type { Asker, Fetched, FetchSnapshot, Known } from './fetch.js';
import { requestsInTurn } from './requests-in-turn.js';
import type { Snapshot } from './snapshot.js';
import { reportUnreadable } from './report-unreadable.js';
import {
  conditionOf,
  failed,
  followed,
  lost,
  nextDelayMs,
  nextLookMs,
  reliableUntil,
  seenWithinMs,
  sparedForMs,
  startedLate,
  succeeded,
  UNTRIED,
  withoutNews,
  type WatchState,
} from './poll-schedule.js';

/** Keeps the newest snapshot, and knows how reliable it is. */
export interface Watch {
  /** The newest snapshot; `undefined` before the first. */
  readonly snapshot: () => Snapshot | undefined;
  /** When the service last confirmed the snapshot, in the clock's milliseconds; `undefined` before the first. */
  readonly confirmedAt: () => number | undefined;
  /** For how many milliseconds the snapshot has not been reliable; negative while it is reliable. */
  readonly lostForMs: (now?: number) => number;
  /** When the next poll is due, in milliseconds since the epoch; `undefined` while one is under way. */
  readonly nextPollAt: () => number | undefined;
  /** Milliseconds within which each instance sees a change. */
  readonly seenWithinMs: () => number;
  /**
   * Polls without waiting for the interval, nor for a request that has been silent for too long. Resolves when a request
   * has ended that began after this call. Resolves at once if the service has asked for a pause. Never rejects.
   */
  readonly poll: (asker?: Asker) => Promise<void>;
  /** Milliseconds until a poll that the stream asks for may begin; different in each instance. */
  readonly sparesForMs: () => number;
  /** Takes a kept snapshot that was loaded late. `false`: it is not needed any more. */
  readonly adopt: (late: StartingSnapshot) => boolean;
  /** Polls if the interval is over and no poll is under way. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** The next `refresh` polls, whatever the interval. */
  readonly expire: () => void;
  /** Reports that the last success has become too old, if it has. Otherwise a timer does that. */
  readonly assess: () => void;
  readonly close: () => void;
}

export interface WatchSettings {
  readonly fetch: FetchSnapshot;
  readonly pollMs: number;
  /** After so many milliseconds, `poll` no longer waits for the request under way. */
  readonly patienceMs: number;
  /** Whether one instance polls the service for many. Then a poll usually reads only the store. Default: no. */
  readonly isShared?: boolean | undefined;
  /** Whether the first poll may come at any time in the interval. Default: it comes at once. */
  readonly isPatient?: boolean | undefined;
  /** In force until the service serves a snapshot. Default: none. */
  readonly starting?: StartingSnapshot | undefined;
  /** Called when the service has just served the snapshot in force, or said that it is unchanged. */
  readonly confirmed?: ((known: Known) => void) | undefined;
}

/** A snapshot to start from. */
export interface StartingSnapshot extends Known {
  /** In the clock's milliseconds; `undefined` if the service has never confirmed it. */
  readonly confirmedAt: number | undefined;
}

/**
 * Polls at once, and then in the background until it is closed. With a clock without a background, only `refresh` polls,
 * and its caller sees to it that only one does at a time.
 */
export function openWatch(
  { fetch, pollMs, patienceMs, isShared = false, isPatient = false, starting, confirmed }: WatchSettings,
  { report }: Pick<Reporter, 'report'>,
  clock: Clock,
  random: () => number,
): Watch {
  let state: WatchState = {
    ...UNTRIED,
    lastSuccessAt: starting?.confirmedAt,
    fullBodyMs: starting?.fullBodyMs ?? UNTRIED.fullBodyMs,
  };
  let known: Known | undefined = starting;
  let condition: WatchCondition | undefined;
  let nextPollAt: number | undefined;
  /** The same by the clock's `now`. */
  let dueAt = -Infinity;
  let hasExpired = false;
  let lastFailure: Failure | undefined;
  let cancelPoll: () => void = () => undefined;
  let cancelLoss: () => void = () => undefined;
  let isClosed = false;
  const hasClosed = () => isClosed;

  const request = async (asker?: Asker) => {
    if (hasClosed()) return;
    cancelPoll();
    cancelLoss();
    nextPollAt = undefined;
    const startedAt = clock.now();
    // If the time is over already, for example after a blocked event loop, this response decides.
    if (startedAt < reliableUntil(state, pollMs)) awaitLoss();
    const asked = known;
    const fetched = await fetch(asked, asker);
    if (hasClosed() || fetched.kind === 'overtaken') return;
    cancelLoss();
    learn(fetched, asked, clock.now() - startedAt);
    schedule(nextMs(fetched));
    awaitLoss();
  };
  const schedule = (delayMs: number) => {
    nextPollAt = clock.date() + delayMs;
    dueAt = clock.now() + delayMs;
    cancelPoll();
    cancelPoll = clock.after(delayMs, next, 'background');
  };
  const next = () => void requests.join(state.retriesAtOnce ? 'retry' : undefined);
  const nextMs = (fetched: Fetched): number => {
    if (!isShared) return nextDelayMs(state, pollMs, clock.now(), random());
    const intervalMs = fetched.kind === 'no-news' ? (fetched.againInMs ?? pollMs) : pollMs;
    // With a snapshot in the store, other instances rely on this one: it looks again as usual.
    return nextLookMs({ ...state, offersNone: state.offersNone && !known }, intervalMs, random());
  };
  const learn = (answer: Answered, asked: Known | undefined, durationMs: number) => {
    const now = clock.now();
    // The answer is about the snapshot that was asked about. Another request may have replaced it meanwhile.
    const isAnother = answer.kind === 'unchanged' && asked !== undefined && asked !== known;
    const fetched = isAnother ? { ...answer, ...asked, kind: 'snapshot' as const } : answer;
    const failure = fetched.kind === 'failed' ? fetched.failure : undefined;
    lastFailure = failure;
    if (fetched.kind === 'failed') {
      const isCheapSilence = fetched.isSilent && asked?.etag !== undefined;
      state = failed(state, pollMs, now, { ...fetched, isCheapSilence });
      if (fetched.isUnknown) report({ type: 'namespace-suspect', failure });
    } else if (fetched.kind === 'no-news') {
      state = withoutNews(state, pollMs, now);
    } else if (fetched.confirmedAt !== undefined) {
      if (fetched.kind === 'snapshot') state = { ...state, fullBodyMs: fetched.fullBodyMs };
      state = followed(state, pollMs, now, Math.max(fetched.confirmedAt, state.lastSuccessAt ?? -Infinity));
    } else {
      state = succeeded(state, now, fetched.kind === 'snapshot' ? fetched.fullBodyMs : undefined);
    }
    // Before the reports, because a listener that reads the snapshot must find this one.
    if (fetched.kind === 'snapshot') apply(fetched);
    if (isConfirmed(fetched) && known !== undefined) confirmed?.(known);
    reassess();
    if (fetched.kind !== 'no-news') report({ type: 'snapshot-polled', durationMs, failure });
  };

  const reassess = () => {
    const next = conditionOf(state);
    if (next !== undefined && next !== condition) {
      report({ type: 'watch-changed', state: next, failure: lastFailure });
    }
    condition = next;
  };

  /** Waits for the moment at which the last success becomes too old, between two polls or during one. */
  const awaitLoss = () => {
    if (state.lastSuccessAt === undefined || state.lostAt !== undefined) return;
    const delayMs = reliableUntil(state, pollMs) - clock.now();
    cancelLoss = clock.after(Math.min(delayMs, LARGEST_TIMER_MS), lose, 'background');
  };
  const lose = () => {
    const now = clock.now();
    if (now < reliableUntil(state, pollMs)) {
      awaitLoss();
      return;
    }
    state = lost(state, now);
    reassess();
  };

  const apply = ({ snapshot, etag, fullBodyMs }: Known) => {
    const before = known?.snapshot;
    known = { snapshot, etag, fullBodyMs };
    // v1 answers like this for an unknown namespace. A new namespace is empty, too.
    if (etag === undefined && snapshot.contents.size === 0)
      report({ type: 'namespace-suspect', failure: undefined });
    const flags = before === undefined ? [] : changes(before.contents, snapshot.contents);
    if (flags.length > 0) report({ type: 'flags-changed', flags });
    reportUnreadable(before, snapshot, { report });
  };

  const requests = requestsInTurn(request, patienceMs, clock);
  const inBackground = clock.hasBackground !== false;
  // A kept snapshot is usually old, so its age alone is no loss. A failed poll is.
  if (!inBackground) nextPollAt = clock.date();
  else if (isPatient) schedule(pollMs * random());
  else void requests.join();
  return {
    snapshot: () => known?.snapshot,
    confirmedAt: () => state.lastSuccessAt,
    lostForMs: (now = clock.now()) => now - reliableUntil(state, pollMs),
    nextPollAt: () => nextPollAt,
    seenWithinMs: () => seenWithinMs(state, pollMs, isShared),
    // If one instance polls for many, a poll usually reads only the store.
    sparesForMs: () => (isShared ? 0 : sparedForMs(state, clock.now(), random())),
    poll(asker) {
      if (clock.now() < state.notBefore) return Promise.resolve();
      return requests.follow(asker);
    },
    adopt(late) {
      if (hasClosed() || known !== undefined || state.offersNone) return false;
      known = late;
      state = startedLate(state, late, pollMs, clock.now());
      if (state.hasFailed) reassess();
      return true;
    },
    async refresh() {
      const now = clock.now();
      if (now < state.notBefore || (now < dueAt && !hasExpired)) return;
      const asker = hasExpired ? 'user' : undefined;
      // A poll that is under way without a background has ended with its caller.
      if (inBackground && nextPollAt === undefined) return;
      hasExpired = false;
      await (inBackground ? requests.join(asker) : request(asker));
    },
    expire() {
      hasExpired = true;
    },
    assess() {
      const isTooOld = state.lastSuccessAt !== undefined && clock.now() >= reliableUntil(state, pollMs);
      if (isTooOld && state.lostAt === undefined) lose();
    },
    close() {
      isClosed = true;
      cancelPoll();
      cancelLoss();
    },
  };
}

type Answered = Exclude<Fetched, { readonly kind: 'overtaken' }>;

function isConfirmed({ kind }: Fetched): boolean {
  return kind === 'unchanged' || kind === 'snapshot';
}
