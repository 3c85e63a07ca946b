import type { Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import { evaluate } from '../engine/evaluate.js';
import type { Send } from '../http/reply.js';
import type { KnownAnswer } from '../model/answer.js';
import type { Question } from '../model/question.js';
import { snapshotFetcher, type Asker, type FetchSnapshot } from './fetch.js';
import { patienceMs } from './poll-schedule.js';
import type { SharedFetch } from './shared/shared-fetch.js';
import { isSameAnswer } from './same-answer.js';
import type { Snapshot } from './snapshot.js';
import { streamReader } from './stream/connection.js';
import { openAnnouncements } from './stream/announcements.js';
import { openStream } from './stream/stream.js';
import { openWatch, type Watch, type WatchSettings } from './watch.js';

export interface WatchingSettings {
  readonly url: string;
  readonly namespace: string;
  readonly environment: string | undefined;
  readonly http: { readonly timeoutMs: number };
  readonly watch: { readonly pollMs: number; readonly stream: boolean };
}

/** What the other layers learn from the snapshot in force. */
export interface SnapshotInForce {
  readonly snapshot: () => Snapshot | undefined;
  /** When the service last confirmed it, in the clock's milliseconds; `undefined` before the first. */
  readonly confirmedAt: () => number | undefined;
  /** For how many milliseconds a change might have gone unnoticed; negative while a change would be noticed. */
  readonly lostForMs: (now?: number) => number;
  /**
   * When the service is asked next, in milliseconds since the epoch; `undefined` while it is being asked, or if it
   * never is.
   */
  readonly nextPollAt: () => number | undefined;
  /** Milliseconds within which each instance sees a change; `undefined` if the service is never asked. */
  readonly seenWithinMs: () => number | undefined;
  /** Whether the snapshot gives the same answer. Such an answer holds until the flag changes. */
  readonly confirms: (question: Question, answer: KnownAnswer) => boolean;
}

export interface Watching extends SnapshotInForce, Pick<Watch, 'adopt'> {
  /** Polls without waiting for the interval. */
  readonly poll: (asker?: Asker) => Promise<void>;
  /** Polls if the interval is over and no poll is under way. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** The next `refresh` polls, whatever the interval. */
  readonly expire: () => void;
  /** Reports that the last success has become too old, if it has. */
  readonly assess: () => void;
  /** Gives back the lease of a shared store. Never rejects. */
  readonly close: () => Promise<void>;
}

export interface HowToWatch extends Pick<WatchSettings, 'starting' | 'confirmed' | 'isPatient'> {
  /**
   * Turns a fetch for this instance into one that is shared by many instances. Default: each instance polls by itself.
   */
  readonly sharing?: Sharing | undefined;
}

export type Sharing = (fetch: FetchSnapshot) => SharedFetch;

/** Watches the service from now on. Reports each change of flags once, but not the first snapshot. */
export function openWatching(
  send: Send,
  settings: WatchingSettings,
  reporter: Reporter,
  clock: Clock,
  random: () => number,
  { sharing, ...how }: HowToWatch = {},
): Watching {
  const { namespace, environment, http, watch: options } = settings;
  const closing = new AbortController();
  const fetch = snapshotFetcher(send, settings, clock, closing.signal);
  const shared = sharing?.(fetch);
  const watch = openWatch(
    {
      ...how,
      fetch: shared?.fetch ?? fetch,
      pollMs: options.pollMs,
      patienceMs: patienceMs(http.timeoutMs),
      isShared: shared !== undefined,
    },
    reporter,
    clock,
    // Timers of many instances spread. Calls come at their own times.
    clock.hasBackground === false ? () => 0.5 : random,
  );
  const stream = options.stream ? openFollowing() : undefined;

  function openFollowing(): { readonly close: () => void } {
    const firstEventMs = patienceMs(http.timeoutMs);
    const announcements = openAnnouncements(watch, clock);
    const read = streamReader(send, { namespace, environment, firstEventMs }, clock);
    const following = openStream(read, announcements.announced, reporter, clock, random);
    return {
      close() {
        following.close();
        announcements.close();
      },
    };
  }

  return {
    snapshot: watch.snapshot,
    confirmedAt: watch.confirmedAt,
    lostForMs: watch.lostForMs,
    nextPollAt: watch.nextPollAt,
    seenWithinMs: watch.seenWithinMs,
    confirms(question, answer) {
      const snapshot = watch.snapshot();
      if (snapshot === undefined || snapshot.features.unreadable?.has(question.flag)) return false;
      return isSameAnswer(answer, evaluate(snapshot.compiled, question));
    },
    poll: watch.poll,
    adopt: watch.adopt,
    refresh: watch.refresh,
    expire: watch.expire,
    assess: watch.assess,
    async close() {
      closing.abort();
      watch.close();
      stream?.close();
      await shared?.close();
    },
  };
}
