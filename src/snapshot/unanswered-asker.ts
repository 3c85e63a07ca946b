import type { Fetched } from './fetch-snapshot.js';
import { isOfUser, stronger, type Asker } from './tag-trust.js';

/**
 * Remembers that the app has called `invalidate()`, until the service itself has answered a poll that began after this
 * call. A poll counts as answered only if the service itself has served or confirmed a snapshot to this instance, or if
 * the poll has failed with the kind `flags-lost`.
 */
export class UnansweredAsker {
  private asker: Asker | undefined;

  /** Remembers the reason for a poll, if the app has asked for the poll by `invalidate()`. */
  add(asker: Asker | undefined): void {
    if (isOfUser(asker)) this.asker = stronger(this.asker, asker);
  }

  /**
   * To be called when a poll begins. Returns the stronger one of `asker` and the remembered reason, and forgets the
   * remembered reason.
   */
  take(asker?: Asker): Asker | undefined {
    const strongest = stronger(this.asker, asker);
    this.asker = undefined;
    return strongest;
  }

  /**
   * To be called when a poll has ended. `asker` is the reason that `take` returned for that poll. If the service has
   * not answered a poll of `invalidate()`, the reason is remembered for the next poll.
   */
  ended(asker: Asker | undefined, fetched: Fetched): void {
    if (!isAnswer(fetched)) this.add(asker);
  }
}

function isAnswer(fetched: Fetched): boolean {
  if ('snapshot' in fetched) return fetched.confirmedAt === undefined;
  return fetched.kind === 'failed' && fetched.failure.kind === 'flags-lost';
}
