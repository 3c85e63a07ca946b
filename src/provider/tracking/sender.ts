import { messageOf, oneLine } from '../../base/text/describe.js';
import { coalesced } from '../../base/time/background-work.js';
import { halfToAll, oneTimer } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import type { TrackingEvent, TrackingSettings } from '../../options/tracking-options.js';
import type { Runtime } from '../../model/runtime.js';

const MOST_EVENTS = 1_000;
const MOST_CHARACTERS = 1024 * 1024;
const MOST_AT_ONCE = 100;
const SEND_EVERY_MS = 5_000;
const SEND_TIMEOUT_MS = 10_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
const FLUSH_MS = 2_000;
const FLUSH_AGAIN_MS = 100;

interface WaitingEvent {
  readonly kind: TrackingEvent['kind'];
  /** A text, because `tracking.send` could change an object and then fail. */
  readonly json: string;
  readonly dropped?: (() => void) | undefined;
}

/** Keeps the tracking events in order until `tracking.send` has taken them. Nothing here throws or rejects. */
export class Sender {
  /** The oldest first. */
  private waiting: WaitingEvent[] = [];
  /** So many of the oldest are being sent. */
  private sending = 0;
  private failures = 0;
  private hasWarnedOfLoss = false;
  private isClosed = false;
  private isDue = false;
  private readonly timer;
  private readonly sendWaiting = coalesced(
    () => this.sendAll(),
    () => {
      this.plan();
    },
  );

  constructor(
    private readonly send: TrackingSettings['send'],
    private readonly warn: (message: string) => void,
    private readonly runtime: Pick<Runtime, 'clock' | 'random' | 'report'>,
  ) {
    this.timer = oneTimer(runtime.clock);
  }

  /** The number of events that wait or are being sent. */
  get size(): number {
    return this.waiting.length;
  }

  get isFailing(): boolean {
    return this.failures > 0;
  }

  add(event: WaitingEvent): void {
    this.waiting.push(event);
    while (this.isOverfull()) {
      // Exposures come again, other events do not.
      const exposure = this.waiting.findIndex(({ kind }, at) => kind === 'exposure' && at >= this.sending);
      const [dropped] = this.waiting.splice(Math.max(this.sending, exposure), 1);
      if (dropped === undefined) return;
      dropped.dropped?.();
      this.lost(1, 'too many events wait to be sent');
    }
    this.plan();
  }

  lost(count: number, why: string): void {
    if (!this.hasWarnedOfLoss) this.warn(`tracking: events are lost, because ${why}`);
    this.hasWarnedOfLoss = true;
    this.runtime.report({ type: 'tracking-lost', events: count });
  }

  /** Sends what waits, and repeats failed calls, for at most 2 s in total. */
  async flush(): Promise<void> {
    const { clock } = this.runtime;
    const endsAt = clock.now() + FLUSH_MS;
    const all = async () => {
      // The call under way took only what waited when it began.
      await this.sendWaiting.underWay();
      if (clock.now() >= endsAt) return;
      for (
        let waitMs = FLUSH_AGAIN_MS;
        !(await this.sendWaiting()) && clock.now() + waitMs < endsAt;
        waitMs *= 2
      )
        await new Promise<void>((resolve) => {
          clock.after(waitMs, resolve, 'background');
        });
    };
    await orLate(all(), FLUSH_MS, clock);
  }

  close(): void {
    this.timer.stop();
    this.isClosed = true;
    const { size } = this;
    this.waiting = [];
    if (size > 0) this.lost(size, 'the provider was closed');
  }

  private isOverfull(): boolean {
    if (this.size > MOST_EVENTS) return true;
    return this.waiting.reduce((sum, { json }) => sum + json.length, 0) > MOST_CHARACTERS;
  }

  private plan(): void {
    if (this.isClosed || this.sendWaiting.underWay() !== undefined || this.waiting.length === 0) return;
    if (this.failures === 0 && this.waiting.length >= MOST_AT_ONCE) {
      this.sendAtEndOfTurn();
      return;
    }
    const backOffMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.failures - 1));
    const delayMs = this.failures > 0 ? halfToAll(backOffMs, this.runtime.random()) : SEND_EVERY_MS;
    this.timer.ensure(delayMs, () => void this.sendWaiting());
  }

  /** The resolve that brought the hundredth event is answered first. */
  private sendAtEndOfTurn(): void {
    if (this.isDue) return;
    this.isDue = true;
    this.runtime.clock.endOfTurn(() => {
      this.isDue = false;
      void this.sendWaiting();
    });
  }

  /** Whether everything that waited at the beginning was sent. */
  private async sendAll(): Promise<boolean> {
    this.timer.stop();
    for (let left = this.waiting.length; left > 0; left -= MOST_AT_ONCE)
      if (!(await this.sendOldest())) return false;
    return true;
  }

  private async sendOldest(): Promise<boolean> {
    const oldest = this.waiting.slice(0, MOST_AT_ONCE);
    this.sending = oldest.length;
    const failure = await this.failureOf(oldest);
    if (this.isClosed) return false;
    this.sending = 0;
    if (failure !== undefined) {
      if (this.failures++ === 0) this.warn(`tracking.send failed; its events are sent again: ${failure}`);
      return false;
    }
    this.waiting.splice(0, oldest.length);
    if (this.failures > 0) this.warn('tracking.send works again');
    this.failures = 0;
    this.hasWarnedOfLoss = false;
    this.runtime.report({ type: 'tracking-sent', events: oldest.length });
    return true;
  }

  private async failureOf(events: readonly WaitingEvent[]): Promise<string | undefined> {
    const sent = Promise.resolve().then(() =>
      this.send(events.map(({ json }) => JSON.parse(json) as TrackingEvent)),
    );
    try {
      const end = await orLate(sent, SEND_TIMEOUT_MS, this.runtime.clock, 'background');
      return end === 'late' ? `no result within ${SEND_TIMEOUT_MS} ms` : undefined;
    } catch (error) {
      return oneLine(messageOf(error));
    }
  }
}
