/** Extra requests of all batches that may be under way at once, in addition to `batch.maxConcurrent`. */
export const EXTRA_AT_ONCE = 8;

/** Keeps extra requests apart from those of batches, so that neither waits for the other. */
export class ExtraRequests {
  private underWay = 0;
  /** What begins the next ones, in the order of their arrival. */
  private readonly waiting: (() => void)[] = [];

  /** Sends a request as soon as few enough are under way. `send` learns whether it had to wait, and never rejects. */
  async run<T>(send: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const hasToWait = this.underWay >= EXTRA_AT_ONCE;
    if (hasToWait) await new Promise<void>((begin) => this.waiting.push(begin));
    else this.underWay++;
    const result = await send(hasToWait);
    // The place goes to the next one, or becomes free.
    const begin = this.waiting.shift();
    if (begin === undefined) this.underWay--;
    else begin();
    return result;
  }
}
