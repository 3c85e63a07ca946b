import { type Clock, oneTimer } from '../../base/time/clock.js';
import { guardedCalls } from './store-failures.js';

/** A store that keeps one text. */
export interface TextStore {
  /**
   * Loads the text. The result is the text itself or a buffer with the text in UTF-8. If the result is neither a string
   * nor a buffer, the store holds no text.
   */
  load(): Promise<unknown>;
  /**
   * Loads only the beginning of a long text, with at least its first line. The result is `undefined` if the text is not
   * long, or if there is none. If `beginning` is missing, the store can only load whole texts.
   */
  beginning?: (() => Promise<string | undefined>) | undefined;
  save(text: string): Promise<void>;
}

/**
 * The store saves at most once in this many milliseconds, except at the close, because a namespace that somebody is
 * editing must not keep the disk busy.
 */
const SAVE_EVERY_MS = 5_000;
const SAVE_TIMEOUT_MS = 10_000;

/**
 * Wraps the calls of a store that only one instance of the provider uses. If the store is shared by many instances,
 * only `load` is used. If the store is slow or fails, no function rejects, and each call of the store has a time limit.
 * `warn` gets one message when the store begins to fail, and one when it works again. `name` is the store's name in
 * these messages.
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
    /**
     * Loads the beginning of the text that was saved last if the text is long and the store can load beginnings. The
     * result is `undefined` if the text is not long, if the store cannot load beginnings, or if loading fails or takes
     * longer than `withinMs`. The promise never rejects.
     */
    beginning: async (withinMs: number): Promise<string | undefined> => {
      const { beginning } = store;
      return beginning && (await guarded.call('load', () => beginning(), withinMs, 'awaited'));
    },
    /**
     * Loads the text that was saved last. The result is `undefined` if there is no text, if loading fails, or if
     * loading takes longer than `withinMs`. The promise never rejects.
     */
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
    /**
     * Saves the result of `text` soon. If `save` is called several times before the store saves, only the text of the last call is saved.
     */
    save: (text: () => string | Promise<string>) => {
      next = text;
      schedule();
    },
    /**
     * Saves the text of the last `save` now, unless that text has been saved already, the store last saved less than
     * five seconds ago, or a call of the store takes too long. The promise never rejects.
     */
    flush: async () => {
      if (clock.now() >= earliest) await saveNext();
    },
    read: guarded.read,
    /** Completes pending saves. The promise never rejects. */
    close: async () => {
      await saving;
      timer.stop();
      await saveNext();
      next = undefined;
    },
  };
}
