import { messageOf, oneLine } from '../../base/text/describe.js';
import { type Clock, halfToAll, oneTimer, type OneTimer } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import { coalesced, type Coalesced } from '../../base/time/background-work.js';
import type { EventQueue } from './event-queue.js';
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
async function failureOf(
  send: TrackingSettings['send'],
  texts: readonly string[],
  clock: Clock,
): Promise<string | undefined> {
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

/** What a sender needs to know. */
interface SenderSettings {
  readonly send: TrackingSettings['send'];
  readonly warn: (message: string) => void;
  /** `false`: nothing may run between calls, so that only `flush` sends, and calls share nothing that is under way. */
  readonly background: boolean;
}

/** Sends what waits in the queue, one call at a time. Nothing of it throws or rejects. */
export class Sender {
  private readonly timer: OneTimer;
  private readonly shared: Coalesced<boolean>;
  /** Calls that have failed in a row. */
  private failures = 0;
  private isClosed = false;
  /** A call begins at the end of this turn of the event loop. */
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

  /** An event has been added to the queue. */
  added(): void {
    // Without a background, the next flush sends.
    if (!this.settings.background || this.shared.underWay() !== undefined || this.queue.size === 0) return;
    if (this.failures === 0 && this.queue.size >= MOST_AT_ONCE) {
      this.sendSoon();
      return;
    }
    const backOffMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.failures - 1));
    const delayMs = this.failures > 0 ? halfToAll(backOffMs, this.runtime.random()) : SEND_EVERY_MS;
    this.timer.ensure(delayMs, () => void this.run());
  }

  /** Sends what waits now, and again if that fails, for 2 s at most. */
  async flush(): Promise<void> {
    const { clock } = this.runtime;
    const endsAt = clock.now() + FLUSH_MS;
    const underWay = this.shared.underWay();
    const all = async () => {
      // It has taken what waited when it began.
      await underWay;
      // Nothing of a flush begins after its time.
      if (clock.now() >= endsAt) return;
      for (let waitMs = AGAIN_MS; !(await this.run()) && clock.now() + waitMs < endsAt; waitMs *= 2)
        await new Promise<void>((resolve) => {
          clock.after(waitMs, resolve, 'limit');
        });
    };
    await orLate(all(), FLUSH_MS, clock);
  }

  /** What is left then is lost. */
  close(): void {
    this.timer.stop();
    this.isClosed = true;
    this.queue.clear('the provider was closed');
  }

  /** Whether all was sent. */
  private run(): Promise<boolean> {
    return this.settings.background ? this.shared() : this.runAlone();
  }

  private async runAlone(): Promise<boolean> {
    this.timer.stop();
    // A call may have ended with its request, and then it never says how its sending ended.
    const since = this.runtime.clock.now() - SEND_TIMEOUT_MS;
    this.queue.putBack((call) => call.since < since);
    // What arrives meanwhile waits for its own time, unless it is enough for a call.
    for (let left = this.queue.waiting; left > 0; left -= MOST_AT_ONCE)
      if (!(await this.sendOnce())) return false;
    return true;
  }

  /** Not within the resolve that brought the event. */
  private sendSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    this.runtime.clock.endOfTurn(() => {
      this.isDue = false;
      void this.run();
    });
  }

  /** Sends the oldest events. Whether that succeeded. */
  private async sendOnce(): Promise<boolean> {
    const { queue } = this;
    const { send, warn } = this.settings;
    const { clock } = this.runtime;
    if (queue.waiting === 0) return true;
    const { call, texts } = queue.take(MOST_AT_ONCE, clock.now());
    const failure = await failureOf(send, texts, clock);
    // Its events count as lost already.
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
