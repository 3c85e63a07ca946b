import type { FlagWatch } from '../cache/cached.js';
import { NO_RELIANCE } from '../cache/freshness.js';
import { outsideRequests, type Clock } from '../clock.js';
import type { Diagnostics } from '../diagnostics/diagnostics.js';
import type { Explanation } from '../engine/explain/explanation.js';
import type { Send } from '../http/reply.js';
import type { Question } from '../model/question.js';
import { failedResolution } from '../model/resolution.js';
import type { ProviderSettings } from '../options/settings.js';
import type { SnapshotBody } from '../snapshot/body/write-body.js';
import type { Asker } from '../snapshot/fetch.js';
import type { OpenSnapshots } from '../snapshot/open-snapshots.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import type { SnapshotReading } from './status/status-readings.js';
import { messageOf } from '../text/describe.js';
import { unreadableFailure } from './evaluate/ask-unreadable.js';

/** The service's snapshot, or until there is one, the snapshot from the options. */
export interface Snapshots extends FlagWatch {
  /** The snapshot in force; `undefined` before the first. */
  readonly snapshot: () => Snapshot | undefined;
  /** Milliseconds since the service last confirmed it; infinite if it never has. */
  readonly ageMs: (now: number) => number;
  /** Whether the service seems to offer no snapshots. One in force then comes from the options or an earlier run. */
  readonly isNotOffered: () => boolean;
  /** Why a snapshot from the options is not used; `undefined` if nothing went wrong. */
  readonly trouble: () => string | undefined;
  /** Whether a change of the snapshot would have been noticed. */
  readonly isReliable: (now: number) => boolean;
  /** Whether the question's bucket decides its answer, by the snapshot in force. */
  readonly bucketDecides: (question: Question) => boolean;
  /** A flag that is not in the snapshot was asked for. */
  readonly missing: (flag: string) => void;
  /** Loads the kept snapshot, then begins to poll. Resolves when the kept one is loaded. Never rejects. */
  readonly start: () => Promise<void>;
  /** How the first poll ended. Never rejects; ends at the latest with the close. */
  readonly firstPoll: () => Promise<FirstPoll>;
  /** The snapshot in plain JSON values, as Flipt serves it. */
  readonly body: () => SnapshotBody | undefined;
  /** Why a question has its answer. Polls if there is no snapshot yet; `undefined` if there is still none. */
  readonly explain: (question: Question) => Promise<Explanation | undefined>;
  readonly read: () => SnapshotReading;
  /** Polls without waiting for the interval. Never rejects. */
  readonly poll: (asker?: Asker) => Promise<void>;
  /**
   * Polls if that is due and no poll is under way. Without a background, it also loads the kept snapshot first. Never
   * rejects.
   */
  readonly refresh: () => Promise<void>;
  /** The next `refresh` polls, whatever the interval. */
  readonly expire: () => void;
  /** Reports that the last success has become too old, if it has. */
  readonly assess: () => void;
  /** Completes pending saves. */
  readonly close: () => Promise<void>;
}

/** `none`: the service offers no snapshots, or the provider is closed. Asking again soon would not help. */
export type FirstPoll = 'succeeded' | 'failed' | 'none';

/** A call that takes longer has probably been ended by its runtime: Cloudflare's allows 30 s after a response. */
const LONGEST_REFRESH_MS = 30_000;

/** Loads the code when the provider starts, so that importing the package does not load the engine. */
export function lazySnapshots(
  send: Send,
  settings: ProviderSettings,
  diagnostics: Diagnostics,
  clock: Clock,
  random: () => number,
): Snapshots {
  const { watch, logger } = settings;
  let opened: OpenSnapshots | undefined;
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;
  let endFirstPoll: (end: FirstPoll) => void = () => undefined;
  const firstPoll = new Promise<FirstPoll>((resolve) => {
    endFirstPoll = resolve;
  });
  let endLoading: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    endLoading = resolve;
  });
  let isNotOffered = false;
  let trouble: string | undefined;
  // This event is reported before the poll that caused it.
  diagnostics.listen('watch-changed', ({ state, failure }) => {
    isNotOffered = state === 'not-offered';
    if (state !== 'not-offered') return;
    endFirstPoll('none');
    // Flipt has served the kept snapshot once, so that this is news.
    if (opened?.confirmedAt() !== undefined)
      logger.warn(
        `Flipt refuses snapshots, so that the kept one does not change any more: ${failure?.message ?? ''}`,
      );
  });
  diagnostics.listen('snapshot-polled', ({ failure }) => {
    endFirstPoll(failure === undefined ? 'succeeded' : 'failed');
  });

  const warn = (message: string) => {
    trouble = message;
    // During the close, an open snapshot may still fail to be saved.
    if (!isClosed() || opened !== undefined) logger.warn(message);
  };
  const load = async () => {
    try {
      const { openSnapshots } = await import('../snapshot/open-snapshots.js');
      if (isClosed()) return;
      const life = { warn, closing: closing.signal };
      opened = await openSnapshots(send, settings, life, diagnostics, clock, random);
      if (isClosed()) await opened.close();
    } catch (error) {
      const message = `the code for snapshots cannot be loaded: ${messageOf(error)}`;
      trouble = message;
      diagnostics.report({
        type: 'watch-changed',
        state: 'not-offered',
        failure: { kind: 'defect', message },
      });
    }
  };
  let loading: Promise<void> | undefined;
  /** Until then, another call may be refreshing. It may also have been ended, and then it never says so. */
  let refreshingUntil = -Infinity;
  const refreshHere = async () => {
    if (isClosed() || clock.now() < refreshingUntil) return;
    const until = clock.now() + LONGEST_REFRESH_MS;
    refreshingUntil = until;
    if (opened === undefined) await load();
    await opened?.refresh();
    if (refreshingUntil === until) refreshingUntil = -Infinity;
  };
  const refresh = async () => (clock.hasBackground === false ? refreshHere() : opened?.refresh());
  const ageMs = (now: number) => {
    const confirmedAt = opened?.confirmedAt();
    return confirmedAt === undefined ? Infinity : now - confirmedAt;
  };

  return {
    snapshot: () => opened?.snapshot(),
    ageMs,
    isNotOffered: () => isNotOffered,
    trouble: () => trouble,
    isReliable: (now) => opened !== undefined && opened.lostForMs(now) < 0,
    confirms: (question, answer) => opened?.confirms(question, answer) ?? false,
    evaluate(question, failure) {
      const unreadable = opened?.snapshot()?.features.unreadable?.get(question.flag);
      if (unreadable !== undefined) {
        const asked = unreadableFailure(question.flag, unreadable, failure.message);
        return { ...failedResolution(asked), ageMs: Infinity };
      }
      const answer = opened?.evaluate(question);
      const version = opened?.snapshot()?.version;
      if (answer === undefined || version === undefined) return undefined;
      return { answer, source: 'in-process', ageMs: ageMs(clock.now()), stale: true, version };
    },
    missing: (flag) => opened?.missing(flag),
    bucketDecides: (question) => opened?.bucketDecides(question) ?? false,
    reliance: (now) =>
      opened === undefined || watch === undefined
        ? NO_RELIANCE
        : { lostForMs: opened.lostForMs(now), maxAgeMs: watch.maxAgeMs },
    // Races with the close, because a store that hangs must not delay it.
    start: () => (loading ??= Promise.race([load(), closed])),
    firstPoll: () => firstPoll,
    body: () => opened?.body(),
    async explain(question) {
      // The code may still be loading, and the first snapshot may not be there yet.
      await loading;
      if (opened?.snapshot() === undefined)
        await outsideRequests(() => (clock.hasBackground === false ? refreshHere() : opened?.poll()));
      return opened?.explain(question);
    },
    read() {
      const snapshot = opened?.snapshot();
      const age = ageMs(clock.now());
      return {
        version: snapshot?.version,
        flags: snapshot?.contents.size,
        unreadable: snapshot?.features.unreadable,
        confirmedAt: opened?.confirmedAt() === undefined ? undefined : clock.date() - age,
        ageMs: age,
        nextPollAt: opened?.nextPollAt(),
        seenWithinMs: opened?.seenWithinMs(),
        store: opened?.store(),
      };
    },
    poll: async (asker) => opened?.poll(asker),
    refresh,
    expire: () => opened?.expire(),
    assess: () => opened?.assess(),
    async close() {
      closing.abort();
      endLoading();
      endFirstPoll('none');
      await opened?.close();
    },
  };
}
