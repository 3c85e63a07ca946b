import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { oneAfterAnother, coalesced } from '../../base/time/background-work.js';
import type { SharedPublication, SharedSnapshot, SharedTurn } from '../../options/snapshot-store.js';
import { guardedCalls, type StoreReading } from '../stores/store-failures.js';
import type { TextStore } from '../stores/safe-store.js';
import { hasMethods } from '../../options/value-rules.js';
import { kindReturned, messageOf } from '../../base/text/describe.js';

/** The text of a store; `text` is `undefined` if it holds none. */
export interface LoadedText {
  readonly text: string | undefined;
}

/** The calls to a shared store, one after another, each with a time limit. Only loads run beside them. None rejects. */
export interface StoreCalls {
  /** `undefined` if the store failed. */
  readonly turn: (leaseMs: number, withinMs?: number) => Promise<SharedTurn | undefined>;
  /**
   * `late`: the text is still on its way, and the next call waits for the same. A load does not hold up other calls.
   * `undefined` if the store failed.
   */
  readonly load: () => Promise<LoadedText | 'late' | undefined>;
  /** `undefined` if the store failed. */
  readonly publish: (
    publication: Omit<SharedPublication, 'holder'>,
  ) => Promise<'published' | 'lost' | 'missing' | undefined>;
  readonly release: () => Promise<unknown>;
  /** Whether the store works. */
  readonly read: () => StoreReading;
  /** Reports that what the store holds cannot be used. */
  readonly complain: (why: unknown) => void;
  /** Reports that it can be used. */
  readonly praise: () => void;
}

const CALL_TIMEOUT_MS = 1_000;
/** Longer, because the call transfers a whole snapshot. */
const TEXT_TIMEOUT_MS = 5_000;

/**
 * `undefined` if the store is not shared, or not as it should be. `warn` gets one message when the store begins to fail,
 * and one when it works again.
 */
export function storeCalls(
  openShared: () => SharedSnapshot | undefined,
  store: TextStore,
  warn: (message: string) => void,
  clock: Clock,
): StoreCalls | undefined {
  const shared = usable(openShared, warn);
  if (shared === undefined) return undefined;
  /** The name of this instance. */
  const holder = randomUUID();
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
    load: () => orLate(loadText(), TEXT_TIMEOUT_MS, clock, 'limit'),
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

/** What the user's store gives; `undefined` if that is nothing, or nothing that can be used. */
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
    `The shared store of the snapshot fails; each instance polls Flipt: ${cause}`,
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
