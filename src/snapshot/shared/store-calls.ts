import { nodeModules } from '../../base/node-modules.js';
import * as v from 'valibot';
import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { oneAfterAnother, coalesced } from '../../base/time/background-work.js';
import type { SharedPublication, SharedSnapshot, SharedTurn } from '../../options/snapshot-store.js';
import { guardedCalls, type StoreReading } from '../stores/store-failures.js';
import type { TextStore } from '../stores/safe-store.js';
import { hasMethods } from '../../options/value-rules.js';
import { kindReturned, messageOf } from '../../base/text/describe.js';

/** The text that was loaded from a store. `text` is `undefined` if the store holds no text. */
export interface LoadedText {
  readonly text: string | undefined;
}

/**
 * The calls to a shared store. The calls run one after another, but `load` can run at the same time as another call.
 * Each call has a time limit, and no call rejects.
 */
export interface StoreCalls {
  /** Asks for the lease or renews it, and reads the record. The result is `undefined` if the store has failed. */
  readonly turn: (leaseMs: number, withinMs?: number) => Promise<SharedTurn | undefined>;
  /**
   * Loads the text of the snapshot, without delaying other calls. The result is `late` if loading has not ended in
   * time. If the same loading is still under way at the next call of `load`, that call waits for it. The result is
   * `undefined` if the store has failed.
   */
  readonly load: () => Promise<LoadedText | 'late' | undefined>;
  /**
   * Writes a record, and also its text if the publication has a text. The result is `undefined` if the store has
   * failed.
   */
  readonly publish: (
    publication: Omit<SharedPublication, 'holder'>,
  ) => Promise<'published' | 'lost' | 'missing' | undefined>;
  readonly release: () => Promise<unknown>;
  /** Returns the state of the store. */
  readonly read: () => StoreReading;
  /** Warns the user that the content of the store cannot be used, unless the store has been failing already. */
  readonly complain: (why: unknown) => void;
  /** Tells the user that the content of the store can be used again, if the store has been failing. */
  readonly praise: () => void;
}

const CALL_TIMEOUT_MS = 1_000;
/** The time limit, in milliseconds, of calls that transfer a whole snapshot. */
const TEXT_TIMEOUT_MS = 5_000;

/**
 * Makes the calls to the user's store. Returns `undefined` if the store is not shared or cannot be used. If the store
 * cannot be used, `warn` gets a message that says why. While the store is in use, `warn` gets one message when the
 * store begins to fail, and one when it works again.
 */
export function storeCalls(
  openShared: () => SharedSnapshot | undefined,
  store: TextStore,
  warn: (message: string) => void,
  clock: Clock,
): StoreCalls | undefined {
  const shared = usable(openShared, warn);
  if (shared === undefined) return undefined;
  /** The id of this instance in the calls to the store. */
  const holder = nodeModules.crypto.randomUUID();
  const guarded = guardedCalls(WORDS, warn, clock);
  const turns = oneAfterAnother();
  const inTurn = <T>(what: string, call: () => Promise<T>, withinMs: number) =>
    turns.add(() => guarded.call(what, call, withinMs));
  const loadText = coalesced(async () => {
    try {
      const text = await store.load();
      return { text: typeof text === 'string' ? text : undefined };
    } catch (error) {
      guarded.complain('load', error);
      return undefined;
    }
  });

  return {
    turn: (leaseMs, withinMs = CALL_TIMEOUT_MS) =>
      inTurn('turn', async () => v.parse(turnSchema, await shared.turn(holder, leaseMs)), withinMs),
    load: () => orLate(loadText(), TEXT_TIMEOUT_MS, clock, 'background'),
    async publish(publication) {
      const outcome = await inTurn(
        'publish',
        async () => v.parse(outcomeSchema, await shared.publish({ ...publication, holder })),
        publication.text === undefined ? CALL_TIMEOUT_MS : TEXT_TIMEOUT_MS,
      );
      if (outcome === 'published') guarded.saved();
      return outcome;
    },
    release: () => inTurn('release', () => shared.release(holder), CALL_TIMEOUT_MS),
    read: guarded.read,
    complain: (why) => {
      guarded.complain('read', why);
    },
    praise: guarded.praise,
  };
}

/** Returns the user's shared store, or `undefined` if there is no shared store or it cannot be used. */
function usable(openShared: () => SharedSnapshot | undefined, warn: (message: string) => void) {
  try {
    const shared = openShared();
    if (shared === undefined || hasMethods(shared, ['turn', 'publish', 'release'])) return shared;
    throw new TypeError(
      `shared: expected an object with the functions turn, publish and release, got ${kindReturned(shared)}`,
    );
  } catch (error) {
    warn(`The shared store of the snapshot is not used: ${messageOf(error)}`);
    return undefined;
  }
}

const WORDS = {
  fails: (_: string, cause: string) =>
    `The shared store of the snapshot is failing; each instance polls Flipt: ${cause}`,
  works: 'The shared store of the snapshot works again: one instance polls Flipt for all',
};

const WRONG_RESULT = 'the store returned a value that its interface does not allow';

const outcomeSchema = v.picklist(['published', 'lost', 'missing'], WRONG_RESULT);

const number = v.pipe(v.number(), v.finite());
const turnSchema = v.object(
  {
    fence: v.optional(number),
    record: v.optional(v.object({ version: v.string(), confirmedAt: number })),
    time: number,
  },
  WRONG_RESULT,
);
