import { failed, isFailure, UNANSWERED, type AskAtOnce } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import type { BatchSettings } from './batch-queue.js';
import type { Batched } from './batching.js';
import { oversized, queueFull, turnedAway } from './question-limits.js';
import type { Clock } from '../time/clock.js';
import { passed } from '../time/in-time.js';
import { leastMs, noTimes, withDuration } from './requests-under-way.js';

/**
 * Requests at once, for each that batches would take: one question takes the service less than a batch, and a caller who
 * needs many flags would wait too long.
 */
const FOR_EACH_BATCH = 8;

/**
 * Sends each question in a request of its own that its caller may end: callers share nothing but a count of requests.
 * At most 8 × `maxConcurrent` are under way at once, and `maxWaiting` questions wait.
 */
export function oneByOne(askAtOnce: AskAtOnce, settings: BatchSettings, runtime: Runtime): Batched {
  const { clock, report, wants } = runtime;
  const { maxConcurrent, maxWaiting, sizes } = settings;
  const atOnce = FOR_EACH_BATCH * maxConcurrent;
  const turns = ownTurns(atOnce, clock);
  let closed: Failure | undefined;
  const crowded = () => (turns.waiting() < maxWaiting ? undefined : queueFull(maxWaiting, report));
  return {
    async ask(question, deadline = () => Infinity, signal) {
      const refused = closed ?? oversized(question, settings) ?? crowded();
      if (refused !== undefined) return failed(refused);
      const leave = await turns.take(deadline(), signal);
      if (leave === undefined) return failed(tooMany(atOnce, report));
      if (wants['batch-sent'])
        report({ type: 'batch-sent', items: 1, bytes: sizes.empty + sizes.of(question) });
      const outcome = closed ?? (await askAtOnce([question], signal));
      leave();
      return isFailure(outcome) ? failed(outcome) : (outcome[0] ?? failed(UNANSWERED));
    },
    close(failure) {
      closed = failure;
    },
    waiting: turns.waiting,
  };
}

function tooMany(atOnce: number, report: Runtime['report']): Failure {
  const why =
    `${atOnce} requests are under way (${FOR_EACH_BATCH} × batch.maxConcurrent), and none ended in time ` +
    'for this question (deadlineMs)';
  return turnedAway(1, 'late', why, report);
}

/** Between two looks of a caller whose turn is next. */
const LOOK_MS = 2;

/** By their tickets, the lowest first: by when their callers have given up. What their runtime has ended never leaves. */
type Places = Map<number, number>;

/**
 * Lets `most` run at once. All that callers share is two counts: where nothing runs in the background, a caller may be
 * frozen or ended at any time, so none wakes another. Each looks by a timer of its own.
 */
function ownTurns(most: number, clock: Clock) {
  const running: Places = new Map();
  const waiting: Places = new Map();
  let tickets = 0;
  let times = noTimes;

  const isFree = () => {
    if (running.size < most) return true;
    for (const [ticket, until] of running) if (until <= clock.now()) running.delete(ticket);
    return running.size < most;
  };
  const firstTicket = () => {
    for (const [ticket, until] of waiting) {
      if (until > clock.now()) return ticket;
      waiting.delete(ticket);
    }
    return tickets;
  };
  /** All that run have to end first so many times. */
  const lookAgainMs = (ticket: number) => {
    const rounds = Math.floor((ticket - firstTicket()) / most);
    return Math.max(LOOK_MS, rounds * Math.max(LOOK_MS, leastMs(times, clock.now())));
  };

  return {
    /** How many wait. */
    waiting: () => {
      firstTicket();
      return waiting.size;
    },
    /** Resolves with the function that ends the turn, or with `undefined` if the caller has given up by then. */
    async take(until: number, signal: AbortSignal | undefined): Promise<(() => void) | undefined> {
      const ticket = tickets++;
      let mayRun = firstTicket() > ticket && isFree();
      waiting.set(ticket, until);
      // No answer could come in less time than that.
      const lastLook = until - LOOK_MS;
      while (!mayRun && clock.now() < lastLook && signal?.aborted !== true) {
        await passed(Math.min(lookAgainMs(ticket), lastLook - clock.now()), signal, clock);
        mayRun = isFree();
      }
      waiting.delete(ticket);
      if (!mayRun) return undefined;
      const since = clock.now();
      running.set(ticket, until);
      return () => {
        running.delete(ticket);
        const now = clock.now();
        times = withDuration(times, now - since, now);
      };
    },
  };
}
