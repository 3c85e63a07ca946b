import { tagsOfRelease, type Tags } from '../engine/version-differences.js';
import type { Clock } from '../base/time/clock.js';

/*
 * A poll usually sends the ETag of the snapshot in force in the header If-None-Match. To a poll that sends an ETag,
 * Flipt answers with the status 304 if nothing has changed, which costs Flipt almost nothing. But some versions of
 * Flipt have wrong ETags, which can stay the same after a change. To find changes in spite of wrong ETags, the provider
 * sends some polls without an ETag, and Flipt answers these polls with the whole snapshot. The version of Flipt decides
 * how often a scheduled poll goes without an ETag:
 *
 * - With Flipt 2.0 to 2.10, every poll goes without an ETag once the provider knows the version.
 * - With Flipt v1 before 1.59.2, about one poll in each minute goes without an ETag, or usually in each period of
 *   `watch.maxAgeMs` if that is shorter.
 * - With any other version, about one poll in each period of `watch.maxAgeMs` goes without an ETag, but at most one in
 *   four polls.
 *
 * Whatever the version of Flipt, one poll usually goes without an ETag after `invalidate()`, after a poll of this
 * process has failed, and after Flipt's answers have contradicted the snapshot.
 *
 * If Flipt took more than 750 ms to send the last whole snapshot to this process, the snapshot probably came from the
 * database of Flipt v1. The ETags of snapshots from a database are right. After a snapshot that took more than 750 ms,
 * only two kinds of polls go without an ETag, except with Flipt 2.0 to 2.10: the polls of `invalidate()`, and one poll
 * in each period that is 600 times as long as the last whole snapshot took, but at most an hour long, or in each period
 * of `watch.maxAgeMs` if that is longer.
 */

const MINUTE_MS = 60_000;
/**
 * As long as no poll fails and no answer contradicts the snapshot, at most one in this many scheduled polls goes
 * without an ETag, even if `watch.maxAgeMs` is short. This limit holds only for versions of Flipt with right ETags.
 */
const FEWEST_POLLS = 4;
/**
 * The time between two scheduled polls without an ETag is shortened at random by up to this share, because instances
 * that have started at the same time must not all fetch the whole snapshot at the same time.
 */
const SPREAD = 0.4;
const DEAR_MS = 750;
/**
 * If whole snapshots take more than `DEAR_MS`, and Flipt is not one of 2.0 to 2.10, the time between two scheduled
 * polls without an ETag is at least this many times the duration of the last whole snapshot, or at least an hour if
 * that is shorter.
 */
const DEAR_SHARE = 600;
const LONGEST_MS = 3_600_000;
/**
 * A Flipt that is too slow to answer a poll without an ETag can often answer a poll with an ETag. If a poll without an
 * ETag has failed, the next polls send an ETag for this many times the duration of the failed poll, except with Flipt
 * 2.0 to 2.10.
 */
const FAILED_SHARE = 20;

export interface TagTrustSettings {
  readonly pollMs: number;
  /**
   * If Flipt has sent no whole snapshot for about this many milliseconds, the next poll usually goes without an ETag.
   */
  readonly maxAgeMs: number;
  /**
   * {@link TagTrust} calls this function when Flipt has confirmed the snapshot in force by its ETag, but now turns out
   * to have a version with wrong ETags, so that the provider has to fetch a whole snapshot at once.
   */
  readonly misled: () => void;
}

/**
 * The reason for a poll. The reason has an influence on whether the poll sends an ETag. If one instance polls for all,
 * the reason also has an influence on whether this instance polls the service itself.
 *
 * - `schedule`: the interval since the last poll is over.
 * - `user`: the app has called `invalidate` with the keys of changed flags, so this instance polls the service itself.
 * - `reset`: the app has called `invalidate` without keys, because everything may have changed, so that the provider
 *   accepts even an answer without flags.
 * - `stream`: the stream has announced a change, and all instances get this announcement at the same time.
 * - `retry`: the last request got no response in time, so another request follows at once. A retry is usually cheap for
 *   Flipt, because it sends an ETag.
 * - `version`: Flipt has named a version whose evaluation rules differ from the rules of the snapshot, or whose ETags
 *   are wrong.
 */
export type Asker = 'schedule' | 'stream' | 'user' | 'reset' | 'retry' | 'version';

export function isOfUser(asker: Asker | undefined): asker is 'user' | 'reset' {
  return asker === 'user' || asker === 'reset';
}

/** The reasons for a poll, from the weakest to the strongest. */
const ASKERS: readonly (Asker | undefined)[] = [
  undefined,
  'schedule',
  'version',
  'retry',
  'stream',
  'user',
  'reset',
];

/** Returns the stronger of two reasons. If one poll is sent for both reasons, the stronger reason counts. */
export function stronger(one: Asker | undefined, other: Asker | undefined): Asker | undefined {
  return ASKERS.indexOf(one) < ASKERS.indexOf(other) ? other : one;
}

/**
 * Decides which polls send the ETag of the snapshot in force, depending on how far this instance can trust the ETags of
 * Flipt. All times are milliseconds of the clock's `now`.
 */
export class TagTrust {
  private tags: Tags = 'right';
  /**
   * Whether the snapshot in force may differ from the snapshot that Flipt would send, so that the next poll usually
   * goes without an ETag.
   */
  private isDoubted = false;
  /** Whether Flipt answered a poll with the status 304, and no poll has failed or brought a whole snapshot since. */
  private isConfirmedByTag = false;
  /**
   * From this time on, the next poll usually goes without an ETag, even if there is no other reason to doubt the ETag.
   */
  private checkAt: number;
  /**
   * Until this time, polls to a Flipt other than 2.0 to 2.10 send an ETag even if there is a reason to doubt it,
   * because a poll without an ETag has failed.
   */
  private namedUntil = -Infinity;
  /** The milliseconds that the last whole snapshot took, or 0 before the first one. */
  private wholeMs = 0;

  constructor(
    private readonly settings: TagTrustSettings,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly random: () => number,
  ) {
    this.checkAt = this.nextCheckAt();
  }

  /**
   * To be called when Flipt has answered the request for its version. `release` is `undefined` if Flipt has not named a
   * release.
   */
  ofRelease(release: string | undefined): void {
    const tags = tagsOfRelease(release);
    if (tags === this.tags) return;
    this.tags = tags;
    this.checkAt = Math.min(this.checkAt, this.nextCheckAt());
    if (this.isMisled()) this.settings.misled();
  }

  /** Returns whether the snapshot in force was last confirmed by an ETag of a Flipt whose ETags are wrong. */
  isMisled(): boolean {
    return this.isConfirmedByTag && this.tags === 'wrong';
  }

  /** To be called when answers of the service contradict the snapshot in force. */
  doubt(): void {
    this.isDoubted = true;
  }

  /** Returns whether the poll that begins now should send the ETag of the snapshot in force. */
  mayName(asker: Asker | undefined): boolean {
    if (this.tags === 'wrong') return false;
    const now = this.clock.now();
    // The reason `retry` means that the last poll got no response. The service may be overloaded, and a poll with an
    // ETag costs an overloaded service least.
    if (asker === 'retry' || now < this.namedUntil) return true;
    return !isOfUser(asker) && now < this.checkAt && (!this.isDoubted || this.isDear());
  }

  /**
   * To be called when a poll has failed. `isNamed` says whether the poll sent an ETag, and `ms` is the duration of the
   * poll.
   */
  failed(isNamed: boolean, ms: number): void {
    this.isDoubted = true;
    this.isConfirmedByTag = false;
    if (!isNamed) this.namedUntil = this.clock.now() + FAILED_SHARE * ms;
  }

  /** To be called when the service has answered a poll with the status 304. */
  confirmed(): void {
    this.isConfirmedByTag = true;
  }

  /** To be called when the service has sent a whole snapshot. `ms` is the duration of the request. */
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
