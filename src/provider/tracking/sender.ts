import { messageOf, oneLine } from '../../base/text/describe.js';
import { type Clock, halfToAll, oneTimer } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { coalesced } from '../../base/time/background-work.js';
import type { eventQueue } from './event-queue.js';
import type { TrackingEvent, TrackingSettings } from '../../options/tracking-options.js';
import type { Runtime } from '../../model/runtime.js';

/** Milliseconds between an event and the call that sends it. */
export const SEND_EVERY_MS = 5_000;
/** Most events in a call. So many that wait are sent at once. */
export const MOST_AT_ONCE = 100;
const SEND_TIMEOUT_MS = 10_000;
/** Milliseconds until the first repetition. The time doubles with each failure. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
const FLUSH_MS = 2_000;
/** Milliseconds until a flush that has failed sends again. The time doubles with each failure. */
const AGAIN_MS = 100;

/** Calls the receiver with events as JSON. Why that failed; `undefined` if it did not. Never rejects. */
async function failureOf(send: TrackingSettings['send'], texts: readonly string[], clock: Clock) {
  // The user's function may throw before it returns a promise.
  const coming = Promise.resolve().then(() => send(texts.map((json) => JSON.parse(json) as TrackingEvent)));
  try {
    // What it does after its time is over is its own affair.
    const end = await orLate(coming, SEND_TIMEOUT_MS, clock, 'limit');
    return end === 'late' ? `no result within ${SEND_TIMEOUT_MS} ms` : undefined;
  } catch (error) {
    return oneLine(messageOf(error));
  }
}

/**
 * Sends what waits in the queue, one call at a time. Without a `background`, only `flush` sends, and calls share nothing
 * that is under way. Nothing of it throws or rejects.
 */
export function openSender(
  queue: ReturnType<typeof eventQueue>,
  send: TrackingSettings['send'],
  { warn, background }: { readonly warn: (message: string) => void; readonly background: boolean },
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
) {
  const timer = oneTimer(clock);
  let failures = 0;
  let isClosed = false;
  let isDue = false;

  /** Sends the oldest events. Whether that succeeded. */
  const sendOnce = async (): Promise<boolean> => {
    if (queue.waiting() === 0) return true;
    const { call, texts } = queue.take(MOST_AT_ONCE, clock.now());
    const failure = await failureOf(send, texts, clock);
    // Its events count as lost already.
    if (isClosed) return false;
    if (failure !== undefined) {
      if (failures++ === 0) warn(`tracking.send failed; its events are sent again: ${failure}`);
      queue.putBack((other) => other === call);
      return false;
    }
    if (failures > 0) warn('tracking.send works again');
    failures = 0;
    queue.sent(call);
    return true;
  };
  const sendAll = async (): Promise<boolean> => {
    // What arrives meanwhile waits for its own time, unless it is enough for a call.
    for (let left = queue.waiting(); left > 0; left -= MOST_AT_ONCE) if (!(await sendOnce())) return false;
    return true;
  };
  const runAlone = () => {
    timer.stop();
    // A call may have ended with its request, and then it never says how its sending ended.
    const since = clock.now() - SEND_TIMEOUT_MS;
    queue.putBack((call) => call.since < since);
    return sendAll();
  };
  const shared = coalesced(runAlone, () => {
    schedule();
  });
  const run = background ? shared : runAlone;
  const schedule = () => {
    // Without a background, the next flush sends.
    if (!background || shared.underWay() !== undefined || queue.size() === 0) return;
    if (failures === 0 && queue.size() >= MOST_AT_ONCE) {
      if (isDue) return;
      isDue = true;
      // Not within the resolve that brought the event.
      clock.endOfTurn(() => {
        isDue = false;
        void run();
      });
      return;
    }
    const delayMs = halfToAll(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1)), random());
    timer.ensure(failures > 0 ? delayMs : SEND_EVERY_MS, () => void run());
  };

  return {
    /** An event has been added to the queue. */
    added: schedule,
    /** Sends what waits now, and again if that fails, for 2 s at most. */
    flush: () => flushed(run, shared.underWay(), clock),
    /** What is left then is lost. */
    close: () => {
      timer.stop();
      isClosed = true;
      queue.clear('the provider was closed');
    },
    isFailing: () => failures > 0,
  };
}

async function flushed(run: () => Promise<boolean>, underWay: Promise<boolean> | undefined, clock: Clock) {
  const endsAt = clock.now() + FLUSH_MS;
  const all = async () => {
    // It has taken what waited when it began.
    await underWay;
    // Nothing of a flush begins after its time.
    if (clock.now() >= endsAt) return;
    for (let waitMs = AGAIN_MS; !(await run()) && clock.now() + waitMs < endsAt; waitMs *= 2)
      await new Promise<void>((resolve) => {
        clock.after(waitMs, resolve, 'limit');
      });
  };
  await orLate(all(), FLUSH_MS, clock);
}
