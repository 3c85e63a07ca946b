import { messageOf, oneLine } from '../../base/text/describe.js';
import { type Clock, halfToAll, oneTimer, type OneTimer } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { coalesced, type Coalesced } from '../../base/time/background-work.js';
import type { EventQueue } from './event-queue.js';
import type { TrackingEvent, TrackingSettings } from '../../options/tracking-options.js';
import type { Runtime } from '../../model/runtime.js';

/** An event waits at most this many milliseconds until a call sends it. */
export const SEND_EVERY_MS = 5_000;
/** A call sends at most this many events. If this many events wait, they are sent at once. */
export const MOST_AT_ONCE = 100;
const SEND_TIMEOUT_MS = 10_000;
/** A failed call is repeated after this many milliseconds. This time doubles with each failure. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
const FLUSH_MS = 2_000;
/** A flush that has failed sends again after this many milliseconds. This time doubles with each failure. */
const AGAIN_MS = 100;

/**
 * Passes the events to `send`. Resolves with the reason if `send` failed, and otherwise with `undefined`. The promise
 * never rejects.
 */
async function failureOf(
  send: TrackingSettings['send'],
  texts: readonly string[],
  clock: Clock,
): Promise<string | undefined> {
  // The user's function can throw before it returns a promise.
  const coming = Promise.resolve().then(() => send(texts.map((json) => JSON.parse(json) as TrackingEvent)));
  try {
    // If the function takes longer, its result is ignored.
    const end = await orLate(coming, SEND_TIMEOUT_MS, clock, 'limit');
    return end === 'late' ? `no result within ${SEND_TIMEOUT_MS} ms` : undefined;
  } catch (error) {
    return oneLine(messageOf(error));
  }
}

/** What a sender needs to know. */
interface SenderSettings {
  readonly send: TrackingSettings['send'];
  readonly warn: (message: string) => void;
  /**
   * Whether background work is allowed. If background work is not allowed, only `flush` sends, and calls share nothing
   * that is under way.
   */
  readonly background: boolean;
}

/** Sends the events that wait in the queue, one call at a time. No function of this class throws or rejects. */
export class Sender {
  private readonly timer: OneTimer;
  private readonly shared: Coalesced<boolean>;
  /** How many calls have failed in a row. */
  private failures = 0;
  private isClosed = false;
  /** Whether a call will begin at the end of this turn of the event loop. */
  private isDue = false;

  constructor(
    private readonly queue: EventQueue,
    private readonly settings: SenderSettings,
    private readonly runtime: Pick<Runtime, 'clock' | 'random'>,
  ) {
    this.timer = oneTimer(runtime.clock);
    this.shared = coalesced(
      () => this.runAlone(),
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
    // If nothing may run between calls, the next flush sends the event.
    if (!this.settings.background || this.shared.underWay() !== undefined || this.queue.size === 0) return;
    if (this.failures === 0 && this.queue.size >= MOST_AT_ONCE) {
      this.sendSoon();
      return;
    }
    const backOffMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.failures - 1));
    const delayMs = this.failures > 0 ? halfToAll(backOffMs, this.runtime.random()) : SEND_EVERY_MS;
    this.timer.ensure(delayMs, () => void this.run());
  }

  /** Sends the events that wait now, and sends them again if that fails, for 2 s at most. */
  async flush(): Promise<void> {
    const { clock } = this.runtime;
    const endsAt = clock.now() + FLUSH_MS;
    const underWay = this.shared.underWay();
    const all = async () => {
      // The call under way has taken only the events that waited when it began.
      await underWay;
      // A flush begins no call after its time is over.
      if (clock.now() >= endsAt) return;
      for (let waitMs = AGAIN_MS; !(await this.run()) && clock.now() + waitMs < endsAt; waitMs *= 2)
        await new Promise<void>((resolve) => {
          clock.after(waitMs, resolve, 'limit');
        });
    };
    await orLate(all(), FLUSH_MS, clock);
  }

  /** Ends sending. Events that have not been sent before the close are lost. */
  close(): void {
    this.timer.stop();
    this.isClosed = true;
    this.queue.clear('the provider was closed');
  }

  /** Sends the events that wait. Resolves with whether all of them were sent. */
  private run(): Promise<boolean> {
    return this.settings.background ? this.shared() : this.runAlone();
  }

  private async runAlone(): Promise<boolean> {
    this.timer.stop();
    // The runtime might have ended a call together with its request, and then the call never says whether its events
    // were sent.
    const since = this.runtime.clock.now() - SEND_TIMEOUT_MS;
    this.queue.putBack((call) => call.since < since);
    // Events that arrive during the calls wait for their own time, unless there are enough of them for a call.
    for (let left = this.queue.waiting; left > 0; left -= MOST_AT_ONCE)
      if (!(await this.sendOnce())) return false;
    return true;
  }

  /** Sends at the end of the turn, and not within the resolve that brought the event. */
  private sendSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    this.runtime.clock.endOfTurn(() => {
      this.isDue = false;
      void this.run();
    });
  }

  /** Sends the oldest events. Resolves with whether that succeeded. */
  private async sendOnce(): Promise<boolean> {
    const { queue } = this;
    const { send, warn } = this.settings;
    const { clock } = this.runtime;
    if (queue.waiting === 0) return true;
    const { call, texts } = queue.take(MOST_AT_ONCE, clock.now());
    const failure = await failureOf(send, texts, clock);
    // The events of this call already count as lost.
    if (this.isClosed) return false;
    if (failure !== undefined) {
      if (this.failures++ === 0) warn(`tracking.send failed; its events are sent again: ${failure}`);
      queue.putBack((other) => other === call);
      return false;
    }
    if (this.failures > 0) warn('tracking.send works again');
    this.failures = 0;
    queue.sent(call);
    return true;
  }
}
