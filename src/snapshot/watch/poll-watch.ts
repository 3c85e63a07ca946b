import type { Runtime } from '../../runtime.js';
import { oneTimer } from '../../time/clock.js';
import { orLate } from '../../time/in-time.js';
import type { Fetched, FetchSnapshot } from '../fetch-snapshot.js';
import type { Asker } from '../tag-trust.js';
import { nextDelayMs, nextLookMs, sparedForMs } from './poll-schedule.js';
import { intervalMs } from './watch-state.js';
import { watchedSnapshot, type StartingSnapshot, type WatchedSettings } from './watched-snapshot.js';

/** The snapshot in force: the service's, or until there is one, the one that it started with. Knows how reliable it is. */
export type Watch = ReturnType<typeof openWatch>;

export interface WatchSettings extends WatchedSettings {
  /** `undefined`: the service is never asked. */
  readonly fetch: FetchSnapshot | undefined;
  /** After so many milliseconds, `poll` no longer waits for the request under way. */
  readonly patienceMs: number;
  /** Whether the first poll may come at any time in the interval. Default: it comes at once. */
  readonly isPatient?: boolean | undefined;
}

/**
 * Polls at once, and then in the background until it is closed. Reports each change of flags once, but not the first
 * snapshot. Without a background, only `refresh` polls, and its caller sees to it that one runs at a time.
 */
export function openWatch(settings: WatchSettings, runtime: Runtime) {
  const { fetch, pollMs, patienceMs, isShared = false, isPatient = false } = settings;
  const { clock } = runtime;
  const { state, known, asks, take, adopt, isClosed, close, ...readings } = watchedSnapshot(
    settings,
    runtime,
  );
  /** Of the next poll: not set while one is under way, nor if none comes. */
  const timer = oneTimer(clock);

  const request = async (asker?: Asker) => {
    if (isClosed() || fetch === undefined) return;
    timer.stop();
    asks();
    const startedAt = clock.now();
    const fetched = await fetch(known(), asker);
    // A kept snapshot may have come in the meantime.
    await take(fetched, known()?.etag !== undefined, clock.now() - startedAt);
    if (isClosed() || fetched.kind === 'overtaken') return;
    schedule(nextMs(fetched));
    readings.assess();
  };
  // All that a watch does differently without a background.
  const requests = clock.hasBackground
    ? requestsInTurn(request, patienceMs, runtime)
    : requestsOfCallers(request);
  const { random } = requests;
  const schedule = (delayMs: number) => {
    timer.set(delayMs, () => void requests.join(state().retriesAtOnce ? 'retry' : undefined));
  };
  const isPaused = () => clock.now() < state().notBefore;
  const nextMs = (fetched: Fetched): number => {
    if (!isShared) return nextDelayMs(state(), pollMs, clock.now(), random());
    const lookMs = fetched.kind === 'no-news' ? (fetched.againInMs ?? pollMs) : intervalMs(state(), pollMs);
    // With a snapshot in the store, other instances rely on this one: it looks again as usual.
    const offersNone = state().offersNone && known() === undefined;
    return nextLookMs({ ...state(), offersNone }, lookMs, random());
  };

  // A kept snapshot is usually old, so its age alone is no loss. A failed poll is.
  if (fetch !== undefined) {
    schedule(isPatient ? pollMs * random() : 0);
    if (!isPatient) void requests.sendNext();
  }
  return {
    ...readings,
    /** When the next poll is due, in milliseconds since the epoch; `undefined` while one is under way, or if none comes. */
    nextPollAt: () => {
      const pollAt = timer.dueAt();
      return pollAt === undefined ? undefined : clock.date() + pollAt - clock.now();
    },
    /**
     * Milliseconds until a poll that the stream asks for may begin; different in each instance. If one instance polls for
     * many, a poll usually reads only the store.
     */
    sparesForMs: () => (isShared ? 0 : sparedForMs(state(), clock.now(), random())),
    /**
     * Polls without waiting for the interval, nor for a request that has been silent for too long. Resolves when a
     * request has ended that began after this call. Resolves at once if the service has asked for a pause, or without a
     * background, where the next `refresh` polls. Never rejects.
     */
    async poll(asker?: Asker) {
      await requests.sendNext(asker, isPaused());
    },
    /** Takes a kept snapshot that was loaded late, unless it is not needed any more. Never rejects. */
    async adopt(late: StartingSnapshot | undefined) {
      if (await adopt(late)) await requests.sendNext();
    },
    /** Polls if the interval is over and no poll is under way. Never rejects. */
    async refresh() {
      readings.assess();
      const isDue = requests.isWanted() || clock.now() >= (timer.dueAt() ?? -Infinity);
      if (isDue && !isPaused() && !requests.isUnderWay()) await requests.join();
    },
    close() {
      close();
      timer.stop();
    },
  };
}

/** Never rejects. */
type Request = (asker?: Asker) => Promise<void>;

/** A request under way. */
interface UnderWay {
  readonly since: number;
  /** Whether another one was under way when it began. */
  readonly isBeside: boolean;
  readonly ended: Promise<void>;
}

/**
 * Sends one request after another. At most one is sent beside another, if that is silent for too long: after
 * `patienceMs`, nobody waits any longer to send the next one.
 */
function requestsInTurn(request: Request, patienceMs: number, { clock, random }: Runtime) {
  /** The request that began last. */
  let newest: UnderWay | undefined;
  let next: Promise<void> | undefined;
  /** Why the next request is sent: the strongest of the reasons that it was asked for with. */
  let nextAsker: Asker | undefined;

  const begin = (asker?: Asker, isBeside = false): Promise<void> => {
    const ended = request(asker).finally(() => {
      if (newest?.ended === ended) newest = undefined;
    });
    newest = { since: clock.now(), isBeside, ended };
    return ended;
  };
  const join = (asker?: Asker) => newest?.ended ?? begin(asker);
  const after = async ({ since, isBeside, ended }: UnderWay): Promise<void> => {
    const patientMs = Math.max(0, since + patienceMs - clock.now());
    const end = await (isBeside ? ended : orLate(ended, patientMs, clock, 'background'));
    const asker = nextAsker;
    next = nextAsker = undefined;
    await (end === 'late' ? begin(asker, true) : join(asker));
  };

  return {
    /** Spreads the polls of many instances. */
    random,
    /** Sends a request, or joins the one under way. */
    join,
    isUnderWay: () => newest !== undefined,
    /** Whether the next caller sends a request, although it is not time for it. */
    isWanted: () => false,
    /** Sends a request that begins after this call, unless the service has asked for a pause. Callers share one. */
    sendNext(asker?: Asker, isPaused = false): Promise<void> {
      if (isPaused) return Promise.resolve();
      if (newest === undefined) return begin(asker);
      nextAsker = stronger(nextAsker, asker);
      next ??= after(newest);
      return next;
    },
  };
}

/** The reasons of a request, the strongest last. */
const ASKERS: readonly (Asker | undefined)[] = [
  undefined,
  'schedule',
  'version',
  'retry',
  'stream',
  'user',
  'reset',
];

/** The reason of two requests that become one. */
function stronger(one: Asker | undefined, other: Asker | undefined): Asker | undefined {
  return ASKERS.indexOf(one) < ASKERS.indexOf(other) ? other : one;
}

/** Without a background, callers send requests of their own: another's may have ended with its caller. */
function requestsOfCallers(request: Request): ReturnType<typeof requestsInTurn> {
  let wanted: Asker | undefined;
  return {
    // Calls come at their own times.
    random: () => 0.5,
    join() {
      const asker = wanted;
      wanted = undefined;
      return request(asker);
    },
    isUnderWay: () => false,
    isWanted: () => wanted !== undefined,
    /** Leaves it to the next `refresh`, whose caller waits for it. */
    sendNext(asker) {
      // Without a reason, as after an outage: what another instance has found is enough.
      wanted = stronger(wanted, asker ?? 'schedule');
      return Promise.resolve();
    },
  };
}
