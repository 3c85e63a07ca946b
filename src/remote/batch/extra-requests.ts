/**
 * The largest number of extra requests that are under way at once, counted over all batches. Extra requests contain
 * parts of failed batches, or suspects (questions and flags that have made a batch fail). Beside the extra requests, up
 * to `batch.maxConcurrent` other batches can be under way.
 */
export const EXTRA_AT_ONCE = 8;

/** An extra request that waits to be sent. */
interface Waiting {
  readonly order: number;
  readonly begin: () => void;
}

/**
 * Limits how many extra requests are under way at once. Extra requests do not count for the limit of other requests, so
 * that extra requests and other requests never wait for each other.
 */
export class ExtraRequests {
  private underWay = 0;
  /** The extra requests that wait to be sent, the lowest `order` first. */
  private readonly waiting: Waiting[] = [];

  /**
   * Calls `send` as soon as fewer than {@link EXTRA_AT_ONCE} extra requests are under way. Of the requests that wait,
   * the request with the lowest `order` is sent first. `hasWaited` is `true` if the request had to wait. The promise of
   * `send` must never reject.
   */
  async run<T>(order: number, send: (hasWaited: boolean) => Promise<T> | T): Promise<T> {
    const hasToWait = this.underWay >= EXTRA_AT_ONCE;
    if (hasToWait) await this.waitInOrder(order);
    else this.underWay++;
    const result = await send(hasToWait);
    // When a request has ended, the next waiting request begins. If no request waits, one request fewer is under way.
    const next = this.waiting.shift();
    if (next === undefined) this.underWay--;
    else next.begin();
    return result;
  }

  private waitInOrder(order: number): Promise<void> {
    return new Promise((begin) => {
      const before = this.waiting.findLastIndex((other) => other.order <= order);
      this.waiting.splice(before + 1, 0, { order, begin });
    });
  }
}
