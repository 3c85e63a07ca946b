import type { Fetched } from './fetch-snapshot.js';
import { isOfUser, stronger, type Asker } from './tag-trust.js';

/**
 * Remembers that users have called `invalidate()`, until the service has answered a poll that began later. If the
 * provider pauses, the poll fails, or another instance has polled, the service has not answered it.
 */
export class UnansweredAsker {
  private asker: Asker | undefined;

  /** Remembers the reason of a poll, if a user asked for that poll. */
  add(asker: Asker | undefined): void {
    if (isOfUser(asker)) this.asker = stronger(this.asker, asker);
  }

  /** Returns why the poll that begins now is sent. */
  take(asker?: Asker): Asker | undefined {
    const strongest = stronger(this.asker, asker);
    this.asker = undefined;
    return strongest;
  }

  /**
   * Call this when that poll has ended. If the service has not answered it, the reason is remembered for the next poll.
   */
  ended(asker: Asker | undefined, fetched: Fetched): void {
    if (!isAnswer(fetched)) this.add(asker);
  }
}

function isAnswer(fetched: Fetched): boolean {
  if ('snapshot' in fetched) return fetched.confirmedAt === undefined;
  return fetched.kind === 'failed' && fetched.failure.kind === 'flags-lost';
}
