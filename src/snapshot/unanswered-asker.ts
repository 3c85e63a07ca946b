import type { Fetched } from './fetch-snapshot.js';
import { isOfUser, stronger, type Asker } from './tag-trust.js';

/**
 * What users ask for with `invalidate()` stays asked for until the service has answered a poll that began later. A pause,
 * a failure, or what another instance has found is no such answer.
 */
export class UnansweredAsker {
  private asker: Asker | undefined;

  /** Only a user's asking is kept. */
  add(asker: Asker | undefined): void {
    if (isOfUser(asker)) this.asker = stronger(this.asker, asker);
  }

  /** Why the poll that begins now is sent. */
  take(asker?: Asker): Asker | undefined {
    const strongest = stronger(this.asker, asker);
    this.asker = undefined;
    return strongest;
  }

  /** That poll has ended. */
  ended(asker: Asker | undefined, fetched: Fetched): void {
    if (!isAnswer(fetched)) this.add(asker);
  }
}

function isAnswer(fetched: Fetched): boolean {
  if ('snapshot' in fetched) return fetched.confirmedAt === undefined;
  return fetched.kind === 'failed' && fetched.failure.kind === 'flags-lost';
}
