import { LARGEST_TIMER_MS, type Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import type { WatchCondition } from '../diagnostics/events.js';
import type { Failure } from '../model/failure.js';
import { changes } from './changed-flags.js';
import type { Asker, Fetched, FetchSnapshot, Known } from './fetch.js';
import type { Snapshot } from './snapshot.js';
import {
  failed,
  followed,
  lost,
  nextDelayMs,
  nextLookMs,
  reliableUntil,
  started,
  succeeded,
  UNTRIED,
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
  /**
   * Polls without waiting for the interval. Resolves when a request has ended that began after this call. Resolves at
   * once if the service has asked for a pause. Never rejects.
   */
  readonly poll: (asker?: Asker) => Promise<void>;
  readonly close: () => void;
}

export interface WatchSettings {
  readonly fetch: FetchSnapshot;
  readonly pollMs: number;
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

/** Polls at once, and then in the background until it is closed. */
export function openWatch(
  { fetch, pollMs, isShared = false, isPatient = false, starting, confirmed }: WatchSettings,
  { report }: Pick<Reporter, 'report'>,
  clock: Clock,
  random: () => number,
): Watch {
  let state: WatchState = { ...UNTRIED, lastSuccessAt: starting?.confirmedAt };
  let known: Known | undefined = starting;
  let condition: WatchCondition | undefined;
  let underWay: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  /** Why the following request is sent. A user's request keeps its reason when it joins one for the stream. */
  let followingAsker: Asker | undefined;
  let nextPollAt: number | undefined;
  let lastFailure: Failure | undefined;
  let cancelPoll: () => void = () => undefined;
  let cancelLoss: () => void = () => undefined;
  let isClosed = false;

  const request = async (asker?: Asker) => {
    cancelPoll();
    cancelLoss();
    nextPollAt = undefined;
    state = started(state, clock.now());
    // If the time is over already, for example after a blocked event loop, this response decides.
    if (clock.now() < reliableUntil(state, pollMs)) awaitLoss();
    const fetched = await fetch(known, asker);
    if (isClosed) return;
    cancelLoss();
    learn(fetched);
    schedule(nextMs(fetched));
    awaitLoss();
  };
  const schedule = (delayMs: number) => {
    nextPollAt = clock.date() + delayMs;
    cancelPoll = clock.after(delayMs, () => void join(), 'background');
  };
  const nextMs = (fetched: Fetched): number => {
    if (!isShared) return nextDelayMs(state, pollMs, clock.now(), random());
    const intervalMs = fetched.kind === 'no-news' ? (fetched.againInMs ?? pollMs) : pollMs;
    return nextLookMs(state, intervalMs, random());
  };
  /** Only one request is under way at a time. */
  const join = (asker?: Asker): Promise<void> => {
    if (isClosed) return Promise.resolve();
    underWay ??= request(asker).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  const learn = (fetched: Fetched) => {
    const now = clock.now();
    const durationMs = now - (state.startedAt ?? now);
    const failure = fetched.kind === 'failed' ? fetched.failure : undefined;
    lastFailure = failure;
    if (fetched.kind === 'failed') {
      state = failed(state, pollMs, now, fetched);
      if (fetched.isUnknown) report({ type: 'namespace-suspect', failure });
    } else if (fetched.kind === 'no-news') {
      state = failed(state, pollMs, now, NO_NEWS);
    } else if (fetched.confirmedAt !== undefined) {
      if (fetched.kind === 'snapshot') state = { ...state, fullBodyMs: fetched.durationMs };
      state = followed(state, pollMs, now, Math.max(fetched.confirmedAt, state.lastSuccessAt ?? -Infinity));
    } else {
      state = succeeded(state, now, fetched.kind === 'snapshot' ? fetched.durationMs : undefined);
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

  const apply = ({ snapshot, etag }: Known) => {
    const before = known?.snapshot;
    known = { snapshot, etag };
    // v1 answers like this for an unknown namespace. A new namespace is empty, too.
    if (etag === undefined && snapshot.contents.size === 0)
      report({ type: 'namespace-suspect', failure: undefined });
    const flags = before === undefined ? [] : changes(before.contents, snapshot.contents);
    if (flags.length > 0) report({ type: 'flags-changed', flags });
  };

  // A kept snapshot is usually old, so its age alone is no loss. A failed poll is.
  if (isPatient) schedule(pollMs * random());
  else void join();
  return {
    snapshot: () => known?.snapshot,
    confirmedAt: () => state.lastSuccessAt,
    lostForMs: (now = clock.now()) => now - reliableUntil(state, pollMs),
    nextPollAt: () => nextPollAt,
    poll(asker) {
      if (clock.now() < state.notBefore) return Promise.resolve();
      if (underWay === undefined) return join(asker);
      if (followingAsker === undefined || asker === 'user') followingAsker = asker;
      following ??= underWay.then(() => {
        const nextAsker = followingAsker;
        following = followingAsker = undefined;
        return join(nextAsker);
      });
      return following;
    },
    close() {
      isClosed = true;
      cancelPoll();
      cancelLoss();
    },
  };
}

const NO_NEWS = { offersNone: false, retryAfterMs: undefined };

function isConfirmed({ kind }: Fetched): boolean {
  return kind === 'unchanged' || kind === 'snapshot';
}

function conditionOf({ lastSuccessAt, lostAt, offersNone }: WatchState): WatchCondition | undefined {
  if (lostAt !== undefined) return 'lost';
  if (lastSuccessAt !== undefined) return 'working';
  return offersNone ? 'not-offered' : undefined;
}
