import * as v from 'valibot';
import { inTime, type Clock } from '../../clock.js';
import type { SharedPublication, SharedSnapshot, SharedTurn } from '../../options/snapshot-options.js';
import type { StoreReading } from '../../stores/safe-store.js';
import { messageOf } from '../../text/describe.js';
import { oneLine } from '../../text/quote.js';

/** The calls to a shared store, one after another, each with a time limit. Only loads run beside them. None rejects. */
export interface StoreCalls {
  /** Finds out at the start whether the store answers. If it does not, later calls fail at once until it does. */
  readonly probe: () => Promise<void>;
  /** `undefined` if the store failed. */
  readonly turn: (leaseMs: number) => Promise<SharedTurn | undefined>;
  /**
   * `late`: the text is still on its way, and the next call waits for the same. A load does not hold up other calls.
   * `undefined` if the store failed.
   */
  readonly load: () => Promise<Loaded | 'late' | undefined>;
  readonly publish: (publication: Publication) => Promise<'published' | 'lost' | 'missing' | undefined>;
  readonly release: () => Promise<void>;
  readonly read: () => StoreReading;
  /** Reports that the store's text cannot be used. */
  readonly complain: (cause: string) => void;
  /** Reports that the store's text can be used. */
  readonly praise: () => void;
}

type Publication = Omit<SharedPublication, 'holder'>;

interface Loaded {
  readonly text: string | undefined;
}

/** The longest that the start waits for a store. */
export const START_WAIT_MS = 250;

const CALL_TIMEOUT_MS = 1_000;
/** Longer, because the call transfers a whole snapshot. */
const TEXT_TIMEOUT_MS = 5_000;

/** `warn` gets one message when the store begins to fail, and one when it works again. */
export function storeCalls(
  shared: SharedSnapshot,
  load: () => Promise<unknown>,
  holder: string,
  warn: (message: string) => void,
  clock: Clock,
): StoreCalls {
  let last: Promise<unknown> = Promise.resolve();
  /** A call has exceeded its time. The store gets no other call until it has ended. */
  let isOverdue = false;
  let isFailing = false;
  let savedAt: number | undefined;

  const complain = (cause: string) => {
    if (!isFailing) {
      const what = 'The shared store of the snapshot fails; each instance polls Flipt';
      warn(`${what}: ${oneLine(cause)}`);
    }
    isFailing = true;
  };

  const attempt = async <T>(call: () => Promise<T>, withinMs: number): Promise<T | undefined> => {
    if (isOverdue) return undefined;
    // The user's store may throw before it returns a promise.
    const called = Promise.resolve().then(call);
    const late = () => new Error(`no answer within ${withinMs} ms`);
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
      isOverdue = false;
    };
    called.then(end, end);
    try {
      return await inTime(called, withinMs, clock, late);
    } catch (error) {
      isOverdue = !hasEnded;
      complain(messageOf(error));
      return undefined;
    }
  };
  const inTurn = <T>(call: () => Promise<T>, withinMs: number): Promise<T | undefined> => {
    // Without a background, an earlier call may have ended with its caller, without a result.
    if (clock.hasBackground === false) return attempt(call, withinMs);
    const result = last.then(() => attempt(call, withinMs));
    last = result;
    return result;
  };

  const takeTurn = (leaseMs: number, withinMs: number) =>
    inTurn(async () => v.parse(turnSchema, await shared.turn(holder, leaseMs)), withinMs);
  let loading: Promise<Loaded | undefined> | undefined;
  const loadText = async (): Promise<Loaded | undefined> => {
    try {
      const text = await load();
      return { text: typeof text === 'string' ? text : undefined };
    } catch (error) {
      complain(messageOf(error));
      return undefined;
    } finally {
      loading = undefined;
    }
  };

  return {
    probe: async () => {
      await takeTurn(0, START_WAIT_MS);
    },
    turn: (leaseMs) => takeTurn(leaseMs, CALL_TIMEOUT_MS),
    load: () => {
      loading ??= loadText();
      return inTime<Loaded | 'late' | undefined>(
        loading,
        TEXT_TIMEOUT_MS,
        clock,
        () => new Error('late'),
      ).catch(() => 'late');
    },
    async publish(publication) {
      const withinMs = publication.text === undefined ? CALL_TIMEOUT_MS : TEXT_TIMEOUT_MS;
      const outcome = await inTurn(
        async () => v.parse(outcomeSchema, await shared.publish({ ...publication, holder })),
        withinMs,
      );
      if (outcome === 'published') savedAt = clock.date();
      return outcome;
    },
    release: async () => {
      await inTurn(() => shared.release(holder), CALL_TIMEOUT_MS);
    },
    read: () => ({ isFailing, savedAt }),
    complain,
    praise() {
      if (isFailing) warn('The shared store of the snapshot works again: one instance polls Flipt for all');
      isFailing = false;
    },
  };
}

const WRONG_RESULT = 'the store returned a value that its interface does not allow';

const outcomeSchema = v.picklist(['published', 'lost', 'missing'], WRONG_RESULT);

const number = v.pipe(v.number(), v.finite());
const turnSchema = v.object(
  {
    fence: v.optional(number),
    record: v.optional(v.object({ version: v.string(), confirmedAt: number, fullBodyMs: number })),
    time: number,
  },
  WRONG_RESULT,
);
