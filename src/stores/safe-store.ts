import { inTime, type Clock } from '../clock.js';
import { messageOf } from '../text/describe.js';
import { oneLine } from '../text/quote.js';

/** The state of a store. */
export interface StoreReading {
  /** Whether the last call failed. */
  readonly isFailing: boolean;
  /** When it last saved, in milliseconds since the epoch; `undefined` if it never has. */
  readonly savedAt: number | undefined;
}

/** A store that keeps one text. */
export interface TextStore {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/** The only caller of a store. If the store is slow or fails, nothing else is delayed or fails. */
export interface SafeStore {
  /**
   * The text that was saved last; `undefined` if there is none, if loading takes longer than `withinMs`, or when
   * `closing` is aborted. Never rejects.
   */
  readonly load: (withinMs: number, closing: AbortSignal) => Promise<string | undefined>;
  /** Soon saves the result of `text`. If several calls come before that, saves only the last one. */
  readonly save: (text: () => string | Promise<string>) => void;
  /** Saves now what is to be saved, unless the last save was too recently. Never rejects. */
  readonly flush: () => Promise<void>;
  readonly read: () => StoreReading;
  /** Completes pending saves. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Saves at most once in so many milliseconds: a namespace that somebody is editing must not keep the disk busy. */
const SAVE_EVERY_MS = 5_000;
const SAVE_TIMEOUT_MS = 10_000;

/**
 * `warn` gets one message when the store begins to fail, and no other until it has worked again. `name` is the store's
 * name in the message.
 */
export function safeStore(
  store: TextStore,
  name: string,
  warn: (message: string) => void,
  clock: Clock,
): SafeStore {
  let next: (() => string | Promise<string>) | undefined;
  let saving: Promise<void> | undefined;
  /** A call that has exceeded its time. The store gets no other call until it has ended. */
  let overdue: Promise<unknown> | undefined;
  let earliest = -Infinity;
  let cancelTimer: (() => void) | undefined;
  let isFailing = false;
  let savedAt: number | undefined;

  const attempt = async <T>(
    what: string,
    call: () => Promise<T>,
    withinMs: number,
  ): Promise<T | undefined> => {
    // The user's store may throw before it returns a promise.
    const called = Promise.resolve().then(call);
    try {
      const result = await inTime(called, withinMs, clock, () => new LateError(withinMs));
      isFailing = false;
      return result;
    } catch (error) {
      if (error instanceof LateError) overdue = called.catch(() => undefined).then(noLongerOverdue);
      if (!isFailing) {
        const cause = oneLine(messageOf(error));
        warn(`${name} could not ${what} the snapshot: ${cause}; the provider goes on without it`);
      }
      isFailing = true;
      return undefined;
    }
  };
  const noLongerOverdue = () => {
    overdue = undefined;
    if (next !== undefined) schedule();
  };

  const saveNext = async () => {
    const text = next;
    if (text === undefined || overdue !== undefined) return;
    next = undefined;
    earliest = clock.now() + SAVE_EVERY_MS;
    await attempt('save', async () => store.save(await text()), SAVE_TIMEOUT_MS);
    if (!isFailing) savedAt = clock.date();
  };
  const startSaving = () => {
    cancelTimer = undefined;
    saving = saveNext().then(() => {
      saving = undefined;
      if (next !== undefined) schedule();
    });
  };
  const schedule = () => {
    if (saving !== undefined || overdue !== undefined) return;
    cancelTimer ??= clock.after(Math.max(0, earliest - clock.now()), startSaving, 'background');
  };

  return {
    load: async (withinMs, closing) => {
      // The time-out keeps the process alive, so it must end when the provider closes.
      const closed = aborted(closing);
      const text = await attempt('load', () => Promise.race([store.load(), closed]), withinMs);
      return typeof text === 'string' ? text : undefined;
    },
    save(text) {
      next = text;
      schedule();
    },
    async flush() {
      if (clock.now() >= earliest) await saveNext();
    },
    read: () => ({ isFailing, savedAt }),
    async close() {
      await saving;
      cancelTimer?.();
      await saveNext();
      next = undefined;
    },
  };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const end = () => {
      resolve(undefined);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

class LateError extends Error {
  constructor(withinMs: number) {
    super(`no answer within ${withinMs} ms`);
  }
}
