/**
 * The largest number of extra requests of all batches that are under way at once, in addition to `batch.maxConcurrent`
 * other requests.
 */
export const EXTRA_AT_ONCE = 8;

/** A request that has to wait. */
interface Waiting {
  readonly order: number;
  readonly begin: () => void;
}

/**
 * Limits the extra requests by a limit of their own, so that extra requests never wait for the requests of batches, and
 * the requests of batches never wait for extra requests.
 */
export class ExtraRequests {
  private underWay = 0;
  /** The requests that wait to be sent, the one with the lowest order first. */
  private readonly waiting: Waiting[] = [];

  /**
   * Calls `send` as soon as fewer than {@link EXTRA_AT_ONCE} extra requests are under way. Of the requests that wait,
   * the one with the lowest `order` is sent first. `hasWaited` says whether the request had to wait. `send` must never
   * reject.
   */
  async run<T>(order: number, send: (hasWaited: boolean) => Promise<T> | T): Promise<T> {
    const hasToWait = this.underWay >= EXTRA_AT_ONCE;
    if (hasToWait) await this.turn(order);
    else this.underWay++;
    const result = await send(hasToWait);
    // The next waiting request may begin now. If no request waits, one request fewer is under way.
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
