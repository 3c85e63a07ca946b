import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { messageOf, oneLine } from '../../base/text/describe.js';

/** After this time, a call that has not ended is taken for lost: a dead connection may never say so. */
export const LOST_AFTER_MS = 120_000;

/** The state of a store. */
export interface StoreReading {
  /** Whether the last call failed. */
  readonly isFailing: boolean;
  /** When it last saved, in milliseconds since the epoch; `undefined` if it never has. */
  readonly savedAt: number | undefined;
}

/**
 * Calls a user's store, which may be slow, fail, throw or hang. Nothing else is delayed or fails with it. `warn` gets
 * one message when the store begins to fail, what `fails` says of a call, for example to `load`, and one when it works
 * again. Whoever calls it says when that is.
 */
export function guardedCalls(
  { fails, works }: { readonly fails: (what: string, cause: string) => string; readonly works: string },
  warn: (message: string) => void,
  clock: Clock,
) {
  let late: { readonly ended: Promise<unknown>; readonly lostAt: number } | undefined;
  /** Whether the last call failed. */
  let isFailing = false;
  /** When it last saved, in milliseconds since the epoch; `undefined` if it never has. */
  let savedAt: number | undefined;

  const overdue = () => (late !== undefined && clock.now() < late.lostAt ? late.ended : undefined);

  const complain = (what: string, error: unknown) => {
    if (!isFailing) warn(fails(what, oneLine(messageOf(error))));
    isFailing = true;
  };
  return {
    /**
     * The call's result; `undefined` if it fails or takes longer than `withinMs`. A call that takes longer goes on:
     * until it has ended, or is taken for lost, the store gets no other, and the result is `undefined` at once. Never
     * rejects. The limit of a call that nobody waits for is background work: a store that hangs keeps no process alive.
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
    /** Ends with the call that takes too long; `undefined` if there is none. Never rejects. */
    overdue,
    /** Warns that the store fails, unless it has been failing. */
    complain,
    /** Says that the store works, if it has been failing. */
    praise: () => {
      if (isFailing) warn(works);
      isFailing = false;
    },
    /** A save has just succeeded. */
    saved: () => {
      savedAt = clock.date();
    },
    /** The state of the store. */
    read: (): StoreReading => ({ isFailing, savedAt }),
  };
}
