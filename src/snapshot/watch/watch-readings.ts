import type { Clock } from '../../time/clock.js';
import { lateBecause, seenWithinMs, sparedForMs } from './poll-schedule.js';
import { reliableUntil, type WatchState } from './watch-state.js';

/** What others read of a watch. `pollAt`: when it polls next, by the clock's `now`; `undefined` if that is not planned. */
export function watchReadings(
  read: () => { readonly state: WatchState; readonly pollAt: number | undefined },
  { pollMs, isShared = false }: { readonly pollMs: number; readonly isShared?: boolean | undefined },
  { clock, random }: { readonly clock: Clock; readonly random: () => number },
) {
  return {
    /** When the service last confirmed the snapshot, in the clock's milliseconds; `undefined` if it never has. */
    confirmedAt: () => read().state.lastSuccessAt,
    /** For how many milliseconds a change might have gone unnoticed; negative while a change would be noticed. */
    lostForMs: (now = clock.now()) => now - reliableUntil(read().state, pollMs),
    /** When the next poll is due, in milliseconds since the epoch; `undefined` while one is under way, or if none comes. */
    nextPollAt: () => {
      const { pollAt } = read();
      return pollAt === undefined ? undefined : clock.date() + pollAt - clock.now();
    },
    /** Milliseconds within which each instance sees a change; infinite if the service is never asked. */
    seenWithinMs: () => seenWithinMs(read().state, pollMs, isShared),
    /** Why that is much longer than `pollMs`; `undefined` if it is not. */
    lateBecause: () => lateBecause(read().state, pollMs, isShared),
    /**
     * Milliseconds until a poll that the stream asks for may begin; different in each instance. If one instance polls for
     * many, a poll usually reads only the store.
     */
    sparesForMs: () => (isShared ? 0 : sparedForMs(read().state, clock.now(), random())),
  };
}
