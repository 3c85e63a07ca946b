import { messageOf, oneLine } from '../../base/text/describe.js';
import { type Clock, halfToAll, oneTimer, type OneTimer } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { coalesced, type Coalesced } from '../../base/time/background-work.js';
import type { EventQueue } from './event-queue.js';
import type { TrackingEvent, TrackingSettings } from '../../options/tracking-options.js';
import type { Runtime } from '../../model/runtime.js';

/**
 * A tracking event usually waits at most this many milliseconds until the sender passes it to `tracking.send`. The
 * event can wait longer if a call of `tracking.send` has failed or is under way.
 */
export const SEND_EVERY_MS = 5_000;
/**
 * One call of `tracking.send` gets at most this many events. If this many events wait, the sender calls `tracking.send`
 * at once, except if a call of `tracking.send` has failed or is under way.
 */
export const MOST_AT_ONCE = 100;
const SEND_TIMEOUT_MS = 10_000;
/**
 * After the first failed call of `tracking.send`, the sender waits at most this many milliseconds before the next call.
 * Each further failure in a row doubles the longest wait, up to `LONGEST_DELAY_MS`.
 */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
const FLUSH_MS = 2_000;
/**
 * If a call of `tracking.send` fails during a flush, the sender repeats the call after this many milliseconds. After
 * each further failure, the sender waits twice as long.
 */
const AGAIN_MS = 100;

/**
 * Passes the events to `send`, which is the user's `tracking.send`. Resolves with the reason if `send` failed, and
 * otherwise with `undefined`, and never rejects.
 */
async function failureOf(
  send: TrackingSettings['send'],
  texts: readonly string[],
  clock: Clock,
): Promise<string | undefined> {
  // The call is inside `then`, because the user's function can throw before it returns a promise.
  const coming = Promise.resolve().then(() => send(texts.map((json) => JSON.parse(json) as TrackingEvent)));
  try {
    // If `send` takes longer than this limit, its result is ignored.
    const end = await orLate(coming, SEND_TIMEOUT_MS, clock, 'background');
    return end === 'late' ? `no result within ${SEND_TIMEOUT_MS} ms` : undefined;
  } catch (error) {
    return oneLine(messageOf(error));
  }
}

/** The settings of a `Sender`. */
interface SenderSettings {
  readonly send: TrackingSettings['send'];
  readonly warn: (message: string) => void;
}

/**
 * Passes the events of the queue to `tracking.send`. No method of `Sender` throws or returns a promise that rejects.
 */
export class Sender {
  private readonly timer: OneTimer;
  private readonly run: Coalesced<boolean>;
  /** The number of calls of `tracking.send` that have failed in a row. */
  private failures = 0;
  private isClosed = false;
  /** Is `true` if a call of `tracking.send` will begin at the end of this turn of the event loop. */
  private isDue = false;

  constructor(
    private readonly queue: EventQueue,
    private readonly settings: SenderSettings,
    private readonly runtime: Pick<Runtime, 'clock' | 'random'>,
  ) {
    this.timer = oneTimer(runtime.clock);
    this.run = coalesced(
      () => this.sendAll(),
      () => {
        this.added();
      },
    );
  }

  get isFailing(): boolean {
    return this.failures > 0;
  }

  /** Call this function when an event has been added to the queue. */
  added(): void {
    if (this.run.underWay() !== undefined || this.queue.size === 0) return;
    if (this.failures === 0 && this.queue.size >= MOST_AT_ONCE) {
      this.sendSoon();
      return;
    }
    const backOffMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.failures - 1));
    const delayMs = this.failures > 0 ? halfToAll(backOffMs, this.runtime.random()) : SEND_EVERY_MS;
    this.timer.ensure(delayMs, () => void this.run());
  }

  /** Sends the waiting events, and repeats failed calls, for at most 2 s in total. */
  async flush(): Promise<void> {
    const { clock } = this.runtime;
    const endsAt = clock.now() + FLUSH_MS;
    const underWay = this.run.underWay();
    const all = async () => {
      // A call that is already under way has taken only the events that waited when the call began.
      await underWay;
      // If the wait for the call under way has taken the whole 2 s, the flush ends.
      if (clock.now() >= endsAt) return;
      for (let waitMs = AGAIN_MS; !(await this.run()) && clock.now() + waitMs < endsAt; waitMs *= 2)
        await new Promise<void>((resolve) => {
          clock.after(waitMs, resolve, 'background');
        });
    };
    await orLate(all(), FLUSH_MS, clock);
  }

  /** Stops the sender. Events that were not sent before the close are lost. */
  close(): void {
    this.timer.stop();
    this.isClosed = true;
    this.queue.clear('the provider was closed');
  }

  /** Sends the waiting events. Resolves with `true` if all waiting events were sent, and otherwise with `false`. */
  private async sendAll(): Promise<boolean> {
    this.timer.stop();
    // The loop makes as many calls of `tracking.send` as are needed for the events that wait when the loop begins.
    // Events that are added during these calls wait for the next run.
    for (let left = this.queue.waiting; left > 0; left -= MOST_AT_ONCE)
      if (!(await this.sendOnce())) return false;
    return true;
  }

  /**
   * Sends the events at the end of this turn of the event loop, so that the resolve that added an event is not delayed.
   */
  private sendSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    this.runtime.clock.endOfTurn(() => {
      this.isDue = false;
      void this.run();
    });
  }

  /**
   * Passes the oldest waiting events to `tracking.send`. Resolves with `true` if the call succeeded, or if no event
   * waits.
   */
  private async sendOnce(): Promise<boolean> {
    const { queue } = this;
    const { send, warn } = this.settings;
    const { clock } = this.runtime;
    if (queue.waiting === 0) return true;
    const { call, texts } = queue.take(MOST_AT_ONCE);
    const failure = await failureOf(send, texts, clock);
    // `close` has already counted the events of this call as lost.
    if (this.isClosed) return false;
    if (failure !== undefined) {
      if (this.failures++ === 0) warn(`tracking.send failed; its events are sent again: ${failure}`);
      queue.putBack(call);
      return false;
    }
    if (this.failures > 0) warn('tracking.send works again');
    this.failures = 0;
    queue.sent(call);
    return true;
  }
}
