import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { messageOf, oneLine } from '../../base/text/describe.js';

/**
 * A call that has not ended after these milliseconds counts as lost, because a dead connection may never report its
 * end.
 */
export const LOST_AFTER_MS = 120_000;

/** The state of a store. */
export interface StoreReading {
  /** Whether the last call has failed. */
  readonly isFailing: boolean;
  /** When the store last saved, in milliseconds since the epoch, or `undefined` if it never has. */
  readonly savedAt: number | undefined;
}

/**
 * Calls a user's store, which may be slow, fail, throw or hang. Such a store neither delays other work nor makes it
 * fail. When the store begins to fail, `warn` gets the message that `fails` makes from the name of the call, for
 * example `load`, and the cause. When the store works again, `warn` gets `works`. The caller decides when that is, and
 * calls `praise`.
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
     * longer is not ended. Until it has ended or counts as lost, the store gets no other call, and the result of each
     * is `undefined` at once. Unless the call is `awaited`, its time limit does not keep the process alive. The promise
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
      const end = await orLate(ended, withinMs, clock, awaited ?? 'limit');
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
     * Returns a promise that resolves when the call that takes too long has ended, or `undefined` if there is no such
     * call. The promise never rejects.
     */
    overdue,
    /** Warns that the store fails, unless it has been failing before. */
    complain,
    /** Says that the store works again, if it has been failing. */
    praise: () => {
      if (isFailing) warn(works);
      isFailing = false;
    },
    /** Call this when a save has just succeeded. */
    saved: () => {
      savedAt = clock.date();
    },
    /** The state of the store. */
    read: (): StoreReading => ({ isFailing, savedAt }),
  };
}
