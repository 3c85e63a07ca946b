import type { FlagWatch } from '../cache/cached.js';
import { NO_RELIANCE } from '../cache/freshness.js';
import { outsideRequests, type Clock } from '../clock.js';
import type { Diagnostics } from '../diagnostics/diagnostics.js';
import type { Explanation } from '../engine/explain/explanation.js';
import type { Send } from '../http/reply.js';
import type { Question } from '../model/question.js';
import type { ProviderSettings } from '../options/settings.js';
import type { SnapshotBody } from '../snapshot/body/write-body.js';
import type { Asker } from '../snapshot/fetch.js';
import type { OpenSnapshots } from '../snapshot/open-snapshots.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import type { SnapshotReading } from './status/readings.js';
import { messageOf } from '../text/describe.js';

/** The service's snapshot, and what the options keep or give instead. */
export interface Snapshots extends FlagWatch {
  /** The one in force; `undefined` before the first. */
  readonly snapshot: () => Snapshot | undefined;
  /** Milliseconds since the service confirmed it last; infinite for one that it never has. */
  readonly ageMs: (now: number) => number;
  /** Whether the service seems to have no snapshots: there is then at most one that it has never confirmed. */
  readonly isNotOffered: () => boolean;
  /** What has kept a snapshot of the options from being used; `undefined` if nothing has. */
  readonly trouble: () => string | undefined;
  /** Whether a change of it would have been noticed. */
  readonly isReliable: (now: number) => boolean;
  /** Whether the question's bucket decides its answer, by the snapshot in force. */
  readonly bucketDecides: (question: Question) => boolean;
  /** Loads what is kept, then begins to poll. Resolves when that is loaded. Never rejects. */
  readonly start: () => Promise<void>;
  /** How the first poll has ended. Never rejects; ends with the close at the latest. */
  readonly firstPoll: () => Promise<FirstPoll>;
  /** The snapshot in plain JSON values, as Flipt serves it. */
  readonly body: () => SnapshotBody | undefined;
  /** Why a question has its answer. Asks the service for a snapshot where there is none yet; `undefined` without one. */
  readonly explain: (question: Question) => Promise<Explanation | undefined>;
  readonly read: () => SnapshotReading;
  /** Polls without waiting for the interval. Never rejects. */
  readonly poll: (asker?: Asker) => Promise<void>;
  /** Completes what is still to be saved. */
  readonly close: () => Promise<void>;
}

/** `none`: the service offers no snapshots, or the provider is closed; asking again soon would not help. */
export type FirstPoll = 'succeeded' | 'failed' | 'none';

/** The code is loaded when the provider starts, so that importing the package does not load the engine. */
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
  // Reported before the poll that shows it.
  diagnostics.listen('watch-changed', ({ state }) => {
    isNotOffered = state === 'not-offered';
    if (state === 'not-offered') endFirstPoll('none');
  });
  diagnostics.listen('snapshot-polled', ({ failure }) => {
    endFirstPoll(failure === undefined ? 'succeeded' : 'failed');
  });

  const warn = (message: string) => {
    trouble = message;
    // What is opened may still fail to keep its snapshot while it is closed.
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
      const message = `the code of the watch cannot be loaded: ${messageOf(error)}`;
      diagnostics.report({
        type: 'watch-changed',
        state: 'not-offered',
        failure: { kind: 'defect', message },
      });
    }
  };
  let loading: Promise<void> | undefined;
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
    evaluate(question) {
      const answer = opened?.evaluate(question);
      const version = opened?.snapshot()?.version;
      if (answer === undefined || version === undefined) return undefined;
      return { answer, source: 'in-process', ageMs: ageMs(clock.now()), stale: true, version };
    },
    bucketDecides: (question) => opened?.bucketDecides(question) ?? false,
    reliance: (now) =>
      opened === undefined || watch === undefined
        ? NO_RELIANCE
        : { lostForMs: opened.lostForMs(now), maxAgeMs: watch.maxAgeMs },
    // A store that hangs must not delay the close of the provider.
    start: () => (loading ??= Promise.race([load(), closed])),
    firstPoll: () => firstPoll,
    body: () => opened?.body(),
    async explain(question) {
      // The code may be on its way, and so may the first snapshot.
      await loading;
      if (opened?.snapshot() === undefined) await outsideRequests(async () => opened?.poll());
      return opened?.explain(question);
    },
    read() {
      const snapshot = opened?.snapshot();
      const age = ageMs(clock.now());
      return {
        version: snapshot?.version,
        flags: snapshot?.contents.size,
        confirmedAt: opened?.confirmedAt() === undefined ? undefined : clock.date() - age,
        ageMs: age,
        nextPollAt: opened?.nextPollAt(),
        store: opened?.store(),
      };
    },
    poll: async (asker) => opened?.poll(asker),
    async close() {
      closing.abort();
      endLoading();
      endFirstPoll('none');
      await opened?.close();
    },
  };
}
