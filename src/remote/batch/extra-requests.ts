/** At most this many extra requests of all batches may be under way at once, in addition to `batch.maxConcurrent`. */
export const EXTRA_AT_ONCE = 8;

/** A request that has to wait. */
interface Waiting {
  readonly order: number;
  readonly begin: () => void;
}

/** Keeps extra requests apart from those of batches, so that neither waits for the other. */
export class ExtraRequests {
  private underWay = 0;
  /** The requests that wait, in their order. */
  private readonly waiting: Waiting[] = [];

  /**
   * Sends a request as soon as few enough are under way. Of the requests that wait, the one with the lowest order goes
   * first. `send` learns whether it had to wait, and must never reject.
   */
  async run<T>(order: number, send: (hasWaited: boolean) => Promise<T> | T): Promise<T> {
    const hasToWait = this.underWay >= EXTRA_AT_ONCE;
    if (hasToWait) await this.turn(order);
    else this.underWay++;
    const result = await send(hasToWait);
    // The place goes to the next request, or becomes free.
    const next = this.waiting.shift();
    if (next === undefined) this.underWay--;
    else next.begin();
    return result;
  }

  private turn(order: number): Promise<void> {
    return new Promise((begin) => {
      const before = this.waiting.findLastIndex((other) => other.order <= order);
      this.waiting.splice(before + 1, 0, { order, begin });
    });
  }
}
