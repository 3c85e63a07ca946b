import { outsideRequests } from '../base/time/background-work.js';
import { oneTimer } from '../base/time/clock.js';
import type { WatchCondition } from '../model/events/flipt-event.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import { changedKeys } from './flags.js';
import type { CurrentlyKnown, Poll, Turn, Wanted } from './keep-flags.js';
import type { Reports } from './reports.js';
import { hasFlags, type Confirmed, type Known, type Snapshot, type StartingSnapshot } from './snapshot.js';

export interface PollerSettings {
  readonly pollMs: number;
  /** How often Flipt is asked at present. */
  readonly intervalMs: () => number;
  /** With a shared store, a change needs two turns. */
  readonly isShared: boolean;
  readonly turn: (current: CurrentlyKnown, wanted: Wanted | undefined) => Promise<Turn>;
  /** Of what Flipt has just confirmed. */
  readonly save: (known: Confirmed) => void;
}

/** What the provider does about news of the snapshot, before listeners hear of it. */
export interface SnapshotNews {
  readonly watched: (condition: WatchCondition, failure: Failure | undefined) => void;
  readonly polled: (failure: Failure | undefined) => void;
  readonly changed: (flags: readonly string[]) => void;
}

const RELIABLE_INTERVALS = 3;
const LONGEST_INTERVAL_MS = 300_000;

/** Keeps one snapshot up to date: asks at the start and then every interval, one poll at a time. */
export class Poller {
  private known: Known | undefined;
  private confirmedAtMs: number | undefined;
  private startedAt = Infinity;
  private pollAt = Infinity;
  private current: Promise<void> | undefined;
  private wanted: Wanted | undefined;
  private isClosed = false;
  private hasServed = false;
  /** Flipt does not know the namespace. */
  private isUnknown = false;
  private lastFailure: Failure | undefined;
  /** Polls in a row whose responses said that there are no snapshots. */
  private refusals = 0;
  /** What Flipt has asked for with its last answer. */
  private pauseMs = 0;
  private condition: WatchCondition | undefined;
  private readonly timer;

  constructor(
    private readonly settings: PollerSettings,
    private readonly news: SnapshotNews,
    private readonly reports: Reports,
    private readonly runtime: Runtime,
  ) {
    this.timer = oneTimer(runtime.clock);
  }

  snapshot() {
    return this.known?.snapshot;
  }

  dated(): StartingSnapshot | undefined {
    return this.known && { ...this.known, confirmedAt: this.confirmedAtMs };
  }

  confirmedAt(): number | undefined {
    return this.confirmedAtMs;
  }

  ageMs(now: number): number {
    return now - (this.confirmedAtMs ?? -Infinity);
  }

  /** How long a change is still sure to be seen in time. Negative once nobody has confirmed the snapshot for long. */
  sureForMs(now: number): number {
    return this.settings.pollMs === Infinity ? Infinity : this.reliableMs() - this.ageMs(now);
  }

  seenWithinMs(): number {
    return 1.2 * Math.max(this.intervalMs(), this.pauseMs) * (this.settings.isShared ? 2 : 1);
  }

  /** In milliseconds since the epoch. */
  nextPollAt(): number | undefined {
    const { clock } = this.runtime;
    return this.pollAt === Infinity ? undefined : clock.date() + this.pollAt - clock.now();
  }

  start(): void {
    if (this.isClosed || this.startedAt !== Infinity) return;
    this.startedAt = this.now();
    void this.poll();
  }

  /** A saved or initial snapshot counts until a poll has brought flags. */
  adopt(found: StartingSnapshot): void {
    if (this.isClosed || (this.known !== undefined && hasFlags(this.known.snapshot))) return;
    const { snapshot, etag, confirmedAt } = found;
    const before = this.known;
    this.known = { snapshot, etag };
    this.confirmedAtMs = confirmedAt;
    // A Flipt that does not know the namespace has snapshots, and has lost these flags.
    if (this.isUnknown) this.refusals = 0;
    if (this.startedAt === Infinity || this.current !== undefined) return;
    if (before !== undefined || this.isUnknown) void this.poll();
  }

  /** A process that was paused begins the poll that it has missed, before its timer fires. */
  used(now: number): void {
    if (now >= this.pollAt && this.current === undefined) void outsideRequests(() => this.poll());
  }

  isDue(): boolean {
    return this.now() >= this.pollAt;
  }

  isPolling(): boolean {
    return this.current !== undefined;
  }

  isNotOffered(): boolean {
    return this.refusals > 0;
  }

  /** By Flipt itself. */
  isConfirmed(): boolean {
    return this.hasServed;
  }

  /** Joins a poll that is under way. During a pause, there is none. */
  async poll(): Promise<void> {
    if (this.pauseMs > 0 && this.now() < this.pollAt && this.current === undefined) return;
    this.current ??= this.pollOnce().finally(() => {
      this.current = undefined;
    });
    await this.current;
  }

  /** A poll that begins after the one under way, which may have been answered too early. */
  async pollNext(wanted?: Wanted): Promise<void> {
    this.want(wanted);
    if (this.startedAt === Infinity) return;
    await this.current;
    await this.poll();
  }

  close(): void {
    this.isClosed = true;
    this.pollAt = Infinity;
    this.timer.stop();
  }

  private want(wanted: Wanted | undefined): void {
    if (this.wanted !== 'reset') this.wanted = wanted ?? this.wanted;
  }

  private now(): number {
    return this.runtime.clock.now();
  }

  private async pollOnce(): Promise<void> {
    if (this.isClosed) return;
    this.timer.stop();
    this.pollAt = Infinity;
    const { wanted } = this;
    this.wanted = undefined;
    const startedAt = this.now();
    const turn = await this.settings.turn(() => this.known, wanted);
    const isAnswered = turn.kind === 'snapshot' || turn.kind === 'unchanged' || isLoss(turn);
    if (!isAnswered) this.want(wanted);
    await this.take(turn, this.now() - startedAt);
  }

  private async take(turn: Turn, durationMs: number): Promise<void> {
    const changed =
      turn.kind === 'snapshot' && this.known
        ? await changedKeys(this.known.snapshot.flags, turn.snapshot.flags, this.runtime.clock)
        : undefined;
    if (this.isClosed) return;
    const before = this.known?.snapshot;
    this.pauseMs = 0;
    this.lastFailure = undefined;
    if (turn.kind === 'failed') this.failed(turn);
    else if (turn.kind !== 'no-news') this.succeeded(turn, changed);
    this.findCondition(this.now());
    const { lastFailure } = this;
    if (changed !== undefined && changed.length > 0) this.news.changed(changed);
    this.reports.replaced(before, this.known, changed, turn);
    if (turn.kind !== 'no-news') {
      this.news.polled(lastFailure);
      this.reports.polled(durationMs, lastFailure, this.isNotOffered());
    }
    this.arm();
  }

  private failed({
    failure,
    offersNone,
    isUnknown,
    retryAfterMs = 0,
  }: Extract<Turn, { kind: 'failed' }>): void {
    this.lastFailure = failure;
    this.isUnknown = isUnknown;
    this.pauseMs = retryAfterMs;
    const isRefusal = this.refusals > 0 || (offersNone && !this.hasServed);
    this.refusals = isRefusal && failure.kind !== 'flags-lost' ? this.refusals + 1 : 0;
    if (isUnknown) this.reports.suspectNamespace(failure);
  }

  private succeeded(turn: Exclude<Poll, { kind: 'failed' }>, changed: readonly string[] | undefined): void {
    this.hasServed = true;
    this.isUnknown = false;
    this.refusals = 0;
    this.confirmedAtMs = this.now();
    if (turn.kind === 'snapshot') {
      const { snapshot, etag } = turn;
      const before = this.known?.snapshot;
      const isSame = changed?.length === 0 && before?.semantics === snapshot.semantics;
      this.known = { snapshot: isSame ? renamed(before, snapshot) : snapshot, etag };
    }
    if (this.known) this.settings.save({ ...this.known, confirmedAt: this.confirmedAtMs });
  }

  private intervalMs(): number {
    return this.settings.intervalMs();
  }

  /** Changes are not missed for so long after a success. */
  private reliableMs(): number {
    return RELIABLE_INTERVALS * this.intervalMs();
  }

  /** When the watch is lost. A start counts as a success would. */
  private lostAt(): number {
    return Math.max(this.startedAt, this.confirmedAtMs ?? -Infinity) + this.reliableMs();
  }

  private findCondition(now: number): void {
    if (this.isNotOffered()) this.become('not-offered');
    else if (now >= this.lostAt()) this.become('lost');
    else if (this.hasServed && this.lastFailure === undefined) this.become('working');
    const isLate = Math.max(this.intervalMs(), this.pauseMs) > 2 * this.settings.pollMs;
    this.reports.lateness(isLate ? { pauseMs: this.pauseMs, withinMs: this.seenWithinMs() } : undefined);
  }

  private become(condition: WatchCondition): void {
    if (condition === this.condition) return;
    this.condition = condition;
    this.news.watched(condition, this.lastFailure);
    this.reports.condition(condition, this.lastFailure);
  }

  private arm(): void {
    const { pollMs } = this.settings;
    const { random } = this.runtime;
    const refusedMs = Math.max(pollMs, Math.min(pollMs * 2 ** this.refusals, LONGEST_INTERVAL_MS));
    // A Flipt that does not know the namespace offers snapshots, and may have it soon.
    const isRefused = this.isNotOffered() && this.known === undefined && !this.isUnknown;
    const intervalMs = isRefused ? refusedMs : this.intervalMs();
    const usualMs = intervalMs * (0.8 + 0.4 * random());
    const now = this.now();
    this.pollAt = now + Math.max(usualMs, this.pauseMs + 0.2 * intervalMs * random());
    this.tick(now);
  }

  private tick(now: number): void {
    const lostInMs = this.lostAt() - now;
    const dueInMs = this.pollAt - now;
    if (lostInMs > 0 && lostInMs < dueInMs) {
      this.timer.set(lostInMs, () => {
        // One reading for both: the timer may be early, and the watch lost between two readings.
        const later = this.now();
        this.findCondition(later);
        this.tick(later);
      });
    } else this.timer.set(Math.max(0, dueInMs), () => void this.poll());
  }
}

/** Flags that are compiled stay so. */
function renamed(before: Snapshot, { digest, version }: Snapshot): Snapshot {
  return before.version === version ? before : { ...before, digest, version };
}

function isLoss(turn: Turn): boolean {
  return turn.kind === 'failed' && turn.failure.kind === 'flags-lost';
}
