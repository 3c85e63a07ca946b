import { quoted } from '../base/text/describe.js';
import type { Clock } from '../base/time/clock.js';
import { failedBy, type Fetched } from './fetch.js';
import { emptySnapshot, hasFlags, type Known } from './snapshot.js';

/** What the user wants of a poll: the newest flags, or also to accept that there are none. */
export type Wanted = 'user' | 'reset';

/** `emptyForMs`: an emptiness that counts because it has lasted, and not because the user has accepted it. */
export type Poll = Fetched & { readonly emptyForMs?: number };

/** `no-news`: another instance polls, and has said nothing. */
export type Turn = Poll | { readonly kind: 'no-news' };

/** A slow store may give the saved snapshot while a poll is under way. */
export type CurrentlyKnown = () => Known | undefined;

const LONGEST_GAP_MS = 600_000;

/**
 * A Flipt that has lost its flags answers as if it had none. The flags that it has served count until somebody accepts
 * the emptiness, or until Flipt has said so for `acceptLossAfterMs` without a failed poll.
 */
export class KeepFlags {
  private lost: { readonly since: number; readonly until: number } | undefined;

  constructor(
    private readonly place: {
      readonly url: string;
      readonly namespace: string;
      readonly acceptLossAfterMs: number;
      readonly pollMs: number;
    },
    private readonly clock: Clock,
  ) {}

  async judge(fetched: Fetched, known: Known | undefined, wanted: Wanted | undefined): Promise<Poll> {
    const isUnknown = fetched.kind === 'failed' && fetched.isUnknown;
    const isEmpty = isUnknown || (fetched.kind === 'snapshot' && !hasFlags(fetched.snapshot));
    if (!isEmpty || known === undefined) {
      this.lost = undefined;
      return fetched;
    }
    if (!hasFlags(known.snapshot)) return isUnknown ? { kind: 'unchanged' } : fetched;
    const { url, namespace, acceptLossAfterMs } = this.place;
    if (wanted !== 'reset' && this.lostForMs() < acceptLossAfterMs) {
      const words = isUnknown
        ? fetched.failure.message
        : `Flipt at ${url} serves no flag in the namespace ${quoted(namespace)}`;
      const { size } = known.snapshot.flags.texts;
      const before = size === 1 ? 'one flag' : `${size} flags`;
      return failedBy({ kind: 'flags-lost', message: `${words}, although it has served ${before} before` });
    }
    this.lost = undefined;
    const lasted = wanted === 'reset' ? {} : { emptyForMs: acceptLossAfterMs };
    if (fetched.kind === 'snapshot') return { ...fetched, ...lasted };
    const snapshot = await emptySnapshot(known.snapshot.semantics, this.clock);
    return { kind: 'snapshot', snapshot, etag: undefined, wholeMs: 0, ...lasted };
  }

  /** Two answers that are far apart form no row: another instance with the same store may have seen flags between. */
  private lostForMs(): number {
    const now = this.clock.now();
    const longestGapMs = Math.max(LONGEST_GAP_MS, 3 * this.place.pollMs);
    const isInARow = this.lost !== undefined && now - this.lost.until <= longestGapMs;
    const since = isInARow ? (this.lost?.since ?? now) : now;
    this.lost = { since, until: now };
    return now - since;
  }
}
