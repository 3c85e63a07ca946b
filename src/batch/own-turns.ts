import type { Clock } from '../time/clock.js';
import { passed } from '../time/passed.js';
import { leastMs, noTimes, withDuration } from './response-times.js';

interface Place {
  /** By then its caller has given up. Its runtime may have ended it before, and then nothing of it ever runs again. */
  readonly until: number;
}

/** Between two looks of a caller whose turn is next. */
const LOOK_MS = 2;

/**
 * Lets `most` run at once. All that callers share is two counts: where nothing runs in the background, a caller may be
 * frozen or ended at any time, so none wakes another. Each looks by a timer of its own.
 */
export function ownTurns(most: number, clock: Clock) {
  const running = new Set<Place>();
  /** By their tickets, the lowest first. */
  const waiting = new Map<number, Place>();
  let tickets = 0;
  let times = noTimes;

  const isOver = ({ until }: Place) => until <= clock.now();
  const isFree = () => {
    if (running.size >= most) for (const place of running) if (isOver(place)) running.delete(place);
    return running.size < most;
  };
  const firstTicket = () => {
    for (const [ticket, place] of waiting) {
      if (!isOver(place)) return ticket;
      waiting.delete(ticket);
    }
    return tickets;
  };
  const run = (place: Place) => {
    const since = clock.now();
    running.add(place);
    return () => {
      running.delete(place);
      const now = clock.now();
      times = withDuration(times, now - since, now);
    };
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
      const place = { until };
      const ticket = tickets++;
      if (firstTicket() > ticket && isFree()) return run(place);
      waiting.set(ticket, place);
      // No answer could come in less time than that.
      const lastLook = until - LOOK_MS;
      while (clock.now() < lastLook && signal?.aborted !== true) {
        await passed(Math.min(lookAgainMs(ticket), lastLook - clock.now()), signal, clock);
        if (!isFree()) continue;
        waiting.delete(ticket);
        return run(place);
      }
      waiting.delete(ticket);
      return undefined;
    },
  };
}
