import { type Clock, oneTimer } from '../../base/time/clock.js';
import { guardedCalls } from './store-failures.js';

/** A store that keeps one text. */
export interface TextStore {
  /** A text, or its bytes in UTF-8. Anything else is none. */
  load(): Promise<unknown>;
  save(text: string): Promise<void>;
}

/** Saves at most once in so many milliseconds: a namespace that somebody is editing must not keep the disk busy. */
const SAVE_EVERY_MS = 5_000;
const SAVE_TIMEOUT_MS = 10_000;

/**
 * Calls a store that no other instance shares; of a shared one, it only loads. If the store is slow or fails, nothing
 * else is delayed or fails.
 * `warn` gets one message when the store begins to fail, and one when it works again. `name` is the store's name in
 * them.
 */
export function safeStore(store: TextStore, name: string, warn: (message: string) => void, clock: Clock) {
  const fails = (what: string, cause: string) =>
    `${name} could not ${what} the snapshot: ${cause}; the provider goes on without it`;
  const works = `${name} works again: the snapshot is kept`;
  const guarded = guardedCalls({ fails, works }, warn, clock);
  const timer = oneTimer(clock);
  let next: (() => string | Promise<string>) | undefined;
  let saving: Promise<void> | undefined;
  let earliest = -Infinity;

  const saveNext = async () => {
    const text = next;
    if (text === undefined || guarded.overdue() !== undefined) return;
    next = undefined;
    earliest = clock.now() + SAVE_EVERY_MS;
    const saving = async () => {
      await store.save(await text());
      return 'saved';
    };
    if ((await guarded.call('save', saving, SAVE_TIMEOUT_MS)) === 'saved') {
      guarded.saved();
      guarded.praise();
    }
    void guarded.overdue()?.then(schedule);
  };
  const startSaving = () => {
    saving = saveNext().then(() => {
      saving = undefined;
      schedule();
    });
  };
  const schedule = () => {
    if (next === undefined || saving !== undefined || guarded.overdue() !== undefined) return;
    timer.ensure(Math.max(0, earliest - clock.now()), startSaving);
  };

  return {
    /** The text that was saved last; `undefined` if there is none, or if it takes longer than `withinMs`. Never rejects. */
    load: async (withinMs: number): Promise<string | Buffer | undefined> => {
      const loaded = await guarded.call(
        'load',
        async () => ({ text: await store.load() }),
        withinMs,
        'awaited',
      );
      void guarded.overdue()?.then(schedule);
      if (loaded !== undefined) guarded.praise();
      const text = loaded?.text;
      return typeof text === 'string' || Buffer.isBuffer(text) ? text : undefined;
    },
    /** Soon saves the result of `text`. If several calls come before that, saves only the last one. */
    save: (text: () => string | Promise<string>) => {
      next = text;
      schedule();
    },
    /** Saves now what is to be saved, unless the last save was too recently. Never rejects. */
    flush: async () => {
      if (clock.now() >= earliest) await saveNext();
    },
    read: guarded.read,
    /** Completes pending saves. Never rejects. */
    close: async () => {
      await saving;
      timer.stop();
      await saveNext();
      next = undefined;
    },
  };
}
