import { tagsOfRelease, type Tags } from '../engine/version-differences.js';
import type { Clock } from '../base/time/clock.js';

/*
 * A poll names the tag of the snapshot in force (If-None-Match). If nothing has changed, Flipt answers with a 304 that
 * costs almost nothing. But the tags of some versions are wrong, so some polls name no tag, and Flipt answers these
 * with the whole snapshot: every poll of Flipt 2.0 to 2.10, one poll a minute of v1 before 1.59.2, and one poll per
 * `watch.maxAgeMs` of any other version. A poll also names no tag after `invalidate()`, after a poll of this process
 * has failed, and after answers that contradict the snapshot.
 *
 * If the last whole snapshot of this process took more than 750 ms, it probably came from the database of Flipt v1,
 * whose tags are right. In that case, only two kinds of polls name no tag: those of `invalidate()`, and one poll in 600
 * times that duration, but at least one in an hour.
 */

const MINUTE_MS = 60_000;
/**
 * A check of the tags comes at most once in this many intervals of `pollMs`, however short `watch.maxAgeMs` is, so that
 * most polls name their tag.
 */
const FEWEST_POLLS = 4;
/**
 * The share of the interval by which the checks differ at random, because instances that started at once must not check
 * their tags at once.
 */
const SPREAD = 0.4;
const DEAR_MS = 750;
/** Flipt spends at most one part in this many of its time on checking the tags of this instance. */
const DEAR_SHARE = 600;
const LONGEST_MS = 3_600_000;
/**
 * A Flipt that is too slow to answer a poll without a tag can often answer one with a tag. After such a failure, all
 * polls name their tag for this many times the duration of the failed poll.
 */
const FAILED_SHARE = 20;

export interface TagTrustSettings {
  readonly pollMs: number;
  /**
   * If a tag has said for more than this many milliseconds that nothing has changed, the provider does not believe it.
   */
  readonly maxAgeMs: number;
  /**
   * Called when the snapshot in force was confirmed by a wrong tag, so that the provider has to fetch a whole snapshot
   * now.
   */
  readonly misled: () => void;
}

/**
 * The reason why the service is asked now. The reason matters if one instance polls for all, and for the decision
 * whether to name a tag.
 *
 * - A `user` knows of a change, so this instance asks the service itself.
 * - A `reset` comes from a user who knows that everything may have changed, so that an answer without flags counts,
 *   too.
 * - An event of the `stream` reaches all instances at the same time.
 * - A `retry` follows at once on a silent request. A retry is cheap.
 * - A poll for the `version` follows when Flipt has other semantics than the snapshot, or wrong tags. This poll is
 *   cheap, too.
 */
export type Asker = 'schedule' | 'stream' | 'user' | 'reset' | 'retry' | 'version';

export function isOfUser(asker: Asker | undefined): asker is 'user' | 'reset' {
  return asker === 'user' || asker === 'reset';
}

/** The reasons for a request, from the weakest to the strongest. */
const ASKERS: readonly (Asker | undefined)[] = [
  undefined,
  'schedule',
  'version',
  'retry',
  'stream',
  'user',
  'reset',
];

/** Returns the stronger reason, which counts if two requests become one. */
export function stronger(one: Asker | undefined, other: Asker | undefined): Asker | undefined {
  return ASKERS.indexOf(one) < ASKERS.indexOf(other) ? other : one;
}

/**
 * Knows how far this instance can trust the tags that Flipt gives its snapshots. Times are milliseconds of the clock's
 * `now`.
 */
export class TagTrust {
  private tags: Tags = 'right';
  /** Whether the snapshot in force may differ from Flipt's, so that the next poll names no tag. */
  private isDoubted = false;
  /**
   * Whether Flipt answered the last poll that named a tag with a 304, and no poll has failed or brought a whole
   * snapshot since.
   */
  private isConfirmedByTag = false;
  /** From this time on, a poll names no tag, even if nothing else speaks against the tag. */
  private checkAt: number;
  /** Until this time, all polls name their tag, because a poll without one has failed. */
  private namedUntil = -Infinity;
  /** How many milliseconds the last whole snapshot took. */
  private wholeMs = 0;

  constructor(
    private readonly settings: TagTrustSettings,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly random: () => number,
  ) {
    this.checkAt = this.nextCheckAt();
  }

  /** Call this when Flipt has said which release it is. `release` is `undefined` if Flipt named none. */
  ofRelease(release: string | undefined): void {
    const tags = tagsOfRelease(release);
    if (tags === this.tags) return;
    this.tags = tags;
    this.checkAt = Math.min(this.checkAt, this.nextCheckAt());
    if (this.isMisled()) this.settings.misled();
  }

  /** Returns whether the snapshot in force was last confirmed by a tag of a Flipt whose tags are wrong. */
  isMisled(): boolean {
    return this.isConfirmedByTag && this.tags === 'wrong';
  }

  /** Call this when answers of the service contradict the snapshot in force. */
  doubt(): void {
    this.isDoubted = true;
  }

  /** Returns whether the poll that begins now may name the tag of the snapshot in force. */
  mayName(asker: Asker | undefined): boolean {
    if (this.tags === 'wrong') return false;
    const now = this.clock.now();
    // The provider retries after a silent poll, and the service may be silent because it is overloaded.
    if (asker === 'retry' || now < this.namedUntil) return true;
    return !isOfUser(asker) && now < this.checkAt && (!this.isDoubted || this.isDear());
  }

  /** Call this when a poll has failed. `isNamed` says whether the poll named a tag, and `ms` is its duration. */
  failed(isNamed: boolean, ms: number): void {
    this.isDoubted = true;
    this.isConfirmedByTag = false;
    if (!isNamed) this.namedUntil = this.clock.now() + FAILED_SHARE * ms;
  }

  /** Call this when the service has answered with a 304. */
  confirmed(): void {
    this.isConfirmedByTag = true;
  }

  /** Call this when the service has sent a whole snapshot, in so many milliseconds. */
  sentWhole(ms: number): void {
    this.isDoubted = false;
    this.isConfirmedByTag = false;
    this.wholeMs = ms;
    this.checkAt = this.nextCheckAt();
  }

  private isDear(): boolean {
    return this.wholeMs > DEAR_MS;
  }

  private nextCheckAt(): number {
    const { pollMs, maxAgeMs } = this.settings;
    const usualMs = Math.max(maxAgeMs * (1 - SPREAD * this.random()), FEWEST_POLLS * pollMs);
    const everyMs = this.tags === 'right' ? usualMs : Math.min(usualMs, MINUTE_MS);
    const dearMs = this.isDear() ? Math.min(DEAR_SHARE * this.wholeMs, LONGEST_MS) : 0;
    return this.clock.now() + Math.max(everyMs, dearMs);
  }
}
