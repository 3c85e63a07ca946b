import { tagsOfRelease, type Tags } from '../engine/version-differences.js';
import type { Clock } from '../base/time/clock.js';

/*
 * A poll names the tag of the snapshot in force (If-None-Match), and Flipt answers it with a 304 that costs nothing if
 * nothing has changed. Some tags lie, so these polls go without, and Flipt sends the whole snapshot: each poll of Flipt
 * 2.0 to 2.10, one a minute of v1 before 1.59.2, one per `watch.maxAgeMs` of any other version, and one after
 * `invalidate()`, after a poll of this process has failed, and after answers that contradict the snapshot. If the last
 * whole snapshot of this process took more than 750 ms, it probably came from v1's database, whose tags are right: then
 * only `invalidate()` and one poll in 600 times that duration, at most in an hour, go without.
 */

const MINUTE_MS = 60_000;
/** However short `watch.maxAgeMs` is, most polls name their tag. */
const FEWEST_POLLS = 4;
/** The instances of a fleet that started at once must not check their tags at once. */
const SPREAD = 0.4;
const DEAR_MS = 750;
/** Of its time, Flipt spends at most one part in so many on checking the tags of this instance. */
const DEAR_SHARE = 600;
const LONGEST_MS = 3_600_000;
/** A Flipt that is too slow to answer without a tag can often answer with one: it is left alone for so long. */
const FAILED_SHARE = 20;

export interface TagTrustSettings {
  readonly pollMs: number;
  /** A tag that says for longer than this that nothing has changed is not believed. */
  readonly maxAgeMs: number;
  /** Called when the snapshot in force was confirmed by a tag that lies: it has to be fetched now. */
  readonly misled: () => void;
}

/**
 * Why the service is asked now. This matters if one instance polls for all, and to tags. A `user` knows of a change, so
 * this instance asks the service itself. A `reset` is a user's who knows that everything may have changed: that there
 * are no flags any more counts, too. An event of the `stream` reaches all instances at the same time. A `retry`
 * follows at once on a silent request. A poll for the `version` follows when Flipt has other semantics than the
 * snapshot, or tags that lie. The last two are cheap.
 */
export type Asker = 'schedule' | 'stream' | 'user' | 'reset' | 'retry' | 'version';

export function isOfUser(asker: Asker | undefined): asker is 'user' | 'reset' {
  return asker === 'user' || asker === 'reset';
}

/** The reasons of a request, the strongest last. */
const ASKERS: readonly (Asker | undefined)[] = [
  undefined,
  'schedule',
  'version',
  'retry',
  'stream',
  'user',
  'reset',
];

/** The reason of two requests that become one. */
export function stronger(one: Asker | undefined, other: Asker | undefined): Asker | undefined {
  return ASKERS.indexOf(one) < ASKERS.indexOf(other) ? other : one;
}

/** What one instance knows about the tags that Flipt gives its snapshots. Times are milliseconds of the clock's `now`. */
export class TagTrust {
  private tags: Tags = 'right';
  /** The snapshot in force may differ from Flipt's: the next poll goes without a tag. */
  private isDoubted = false;
  /** The last poll that named a tag was answered with a 304. */
  private isConfirmedByTag = false;
  /** When a poll goes without a tag, whatever else is known. */
  private checkAt: number;
  /** A poll without a tag has failed: until then, all name theirs. */
  private namedUntil = -Infinity;
  /** Milliseconds that the last whole snapshot took. */
  private wholeMs = 0;

  constructor(
    private readonly settings: TagTrustSettings,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly random: () => number,
  ) {
    this.checkAt = this.nextCheckAt();
  }

  /** Flipt has said which release it is; `undefined` if it is none. */
  ofRelease(release: string | undefined): void {
    const tags = tagsOfRelease(release);
    if (tags === this.tags) return;
    this.tags = tags;
    this.checkAt = Math.min(this.checkAt, this.nextCheckAt());
    if (this.isMisled()) this.settings.misled();
  }

  /** Whether the snapshot in force was last confirmed by the tag of a Flipt whose tags lie. */
  isMisled(): boolean {
    return this.isConfirmedByTag && this.tags === 'wrong';
  }

  /** Answers of the service contradict the snapshot in force. */
  doubt(): void {
    this.isDoubted = true;
  }

  /** Whether the poll that begins now may name the tag of the snapshot in force. */
  mayName(asker: Asker | undefined): boolean {
    if (this.tags === 'wrong') return false;
    const now = this.clock.now();
    // A retry follows on silence, perhaps of a service that is overloaded.
    if (asker === 'retry' || now < this.namedUntil) return true;
    return !isOfUser(asker) && now < this.checkAt && (!this.isDoubted || this.isDear());
  }

  /** A poll has failed. `isNamed`: it named a tag. `ms`: its duration. */
  failed(isNamed: boolean, ms: number): void {
    this.isDoubted = true;
    this.isConfirmedByTag = false;
    if (!isNamed) this.namedUntil = this.clock.now() + FAILED_SHARE * ms;
  }

  /** The service has answered with a 304. */
  confirmed(): void {
    this.isConfirmedByTag = true;
  }

  /** The service has sent a whole snapshot, in so many milliseconds. */
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
