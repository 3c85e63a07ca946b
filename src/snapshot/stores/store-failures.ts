import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { messageOf, oneLine } from '../../base/text/describe.js';

/**
 * If a call has not ended after these milliseconds, the call counts as lost, because a call through a dead connection
 * may never end.
 */
export const LOST_AFTER_MS = 120_000;

/** The state of a store. */
export interface StoreReading {
  /** Whether the store has failed, and has not worked again since. */
  readonly isFailing: boolean;
  /**
   * The time at which the store last saved, in milliseconds since the epoch, or `undefined` if the store has not saved
   * yet.
   */
  readonly savedAt: number | undefined;
}

/**
 * Makes the functions that call a user's store safely. The store can be slow, fail, throw or hang, but each call ends
 * within its time limit and never rejects. When the store begins to fail, `warn` gets the message that `fails` makes
 * from the name of the call, for example `load`, and the cause. The caller decides when the store works again, and then
 * calls `praise`, which gives the message `works` to `warn`.
 */
export function guardedCalls(
  { fails, works }: { readonly fails: (what: string, cause: string) => string; readonly works: string },
  warn: (message: string) => void,
  clock: Clock,
) {
  let late: { readonly ended: Promise<unknown>; readonly lostAt: number } | undefined;
  let isFailing = false;
  let savedAt: number | undefined;

  const overdue = () => (late !== undefined && clock.now() < late.lostAt ? late.ended : undefined);

  const complain = (what: string, error: unknown) => {
    if (!isFailing) warn(fails(what, oneLine(messageOf(error))));
    isFailing = true;
  };
  return {
    /**
     * Returns the result of a call, or `undefined` if the call fails or takes longer than `withinMs`. A call that takes
     * longer than `withinMs` is not aborted. Until a call that has taken too long has ended or counts as lost, the
     * store gets no other call through this function, and the result of each call of this function is `undefined` at
     * once. The time limit of a call keeps the process alive only if `awaited` is given. The promise
     * never rejects.
     */
    async call<T>(
      what: string,
      call: () => Promise<T>,
      withinMs: number,
      awaited?: 'awaited',
    ): Promise<T | undefined> {
      if (overdue() !== undefined) return undefined;
      const lostAt = clock.now() + LOST_AFTER_MS;
      // The user's store may throw before it returns a promise.
      const called = Promise.resolve().then(call);
      const ended = called.then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      const end = await orLate(ended, withinMs, clock, awaited ?? 'background');
      if (end === 'late') {
        const ours = { ended, lostAt };
        late = ours;
        void ended.then(() => {
          if (late === ours) late = undefined;
        });
        complain(what, `no answer within ${withinMs} ms`);
      } else if ('error' in end) {
        complain(what, end.error);
      } else {
        return end.result;
      }
      return undefined;
    },
    /**
     * If a call has taken too long, but is still under way and does not count as lost yet, returns a promise that
     * resolves when this call has ended. Otherwise, returns `undefined`. The promise never rejects.
     */
    overdue,
    /** Warns that the store fails, unless it has been failing already. */
    complain,
    /** Warns that the store works again, if the store has been failing. */
    praise: () => {
      if (isFailing) warn(works);
      isFailing = false;
    },
    /** To be called when a save has just succeeded. */
    saved: () => {
      savedAt = clock.date();
    },
    /** Returns the state of the store. */
    read: (): StoreReading => ({ isFailing, savedAt }),
  };
}
