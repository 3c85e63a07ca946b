import type { SharedTurn } from '../../options/snapshot-store.js';
import { type Clock, oneTimer, type OneTimer } from '../../base/time/clock.js';
import type { StoreCalls } from './store-calls.js';

/**
 * What an instance knows about the lease of a store that many instances share. The instance that holds the lease polls
 * for all. Times are milliseconds of the clock's `now`.
 */
export interface Lease {
  /** The fence of the lease that this instance holds, or `undefined` if it holds none as far as it knows. */
  readonly fence: number | undefined;
  /** How many polls in a row have failed while this instance held the lease. */
  readonly failures: number;
  /** Until this time, the instance leaves the lease to others. */
  readonly leavesUntil: number;
}

export const NEWCOMER: Lease = { fence: undefined, failures: 0, leavesUntil: -Infinity };

/**
 * The length of a lease, in intervals of `pollMs`. If the holder dies, its lease ends after this time, and another
 * instance asks for it within 1.2 more intervals.
 */
const LEASE_INTERVALS = 1;
/** A lease of fewer milliseconds would expire whenever the holder's event loop is busy. */
const SHORTEST_LEASE_MS = 100;
/** The holder renews its lease this many times during a lease, because one lost renewal must not end it. */
const RENEWALS = 3;
/**
 * After this many failed polls, another instance may try, because the network may have failed for this instance only.
 */
const MOST_FAILURES = 3;
/**
 * For this many intervals, the instance leaves the lease to others. In this time, every other instance asks for the
 * lease once.
 */
const LEFT_FOR_INTERVALS = 1.3;

export function leaseMs(pollMs: number): number {
  return Math.ceil(Math.max(pollMs * LEASE_INTERVALS, SHORTEST_LEASE_MS));
}

export function renewalMs(pollMs: number): number {
  return leaseMs(pollMs) / RENEWALS;
}

/** Returns for how many milliseconds the instance asks for the lease, or 0 if it only reads the record. */
export function wantedLeaseMs({ leavesUntil }: Lease, pollMs: number, now: number): number {
  return now < leavesUntil ? 0 : leaseMs(pollMs);
}

/**
 * Returns what follows from the store's answer. `turn` is `undefined` if the store has failed, so that nobody knows
 * which instance holds the lease.
 */
export function turned(lease: Lease, turn: SharedTurn | undefined): Lease {
  const fence = turn?.fence;
  return fence === lease.fence ? lease : { ...lease, fence, failures: 0 };
}

/** Returns what follows when the holder's poll has succeeded: the holder may renew the lease again. */
export function polled(lease: Lease): Lease {
  return { ...lease, failures: 0, leavesUntil: -Infinity };
}

/**
 * Returns what follows when the holder's poll got no answer. Other instances may reach the service, so the holder does
 * not renew the lease. In the rest of the lease, the holder may send one more request at once.
 */
export function pollSilent(lease: Lease, knowsAny: boolean, pollMs: number, now: number): Lease {
  if (!knowsAny || lease.failures > 0) return left(pollMs, now);
  return { ...left(pollMs, now), fence: lease.fence, failures: 1 };
}

/**
 * Returns what follows when the holder's poll has failed. The holder keeps the lease for some more polls, so that one
 * instance polls during an outage, and not all in turn.
 */
export function pollFailed(lease: Lease, knowsAny: boolean, pollMs: number, now: number): Lease {
  const failures = lease.failures + 1;
  // If this instance has no snapshot, the others would only wait for it in vain.
  return knowsAny && failures < MOST_FAILURES ? { ...lease, failures } : left(pollMs, now);
}

/** Returns what follows when the holder cannot write: for a while, the instance leaves the lease to others. */
export function left(pollMs: number, now: number): Lease {
  return { ...NEWCOMER, leavesUntil: now + LEFT_FOR_INTERVALS * pollMs };
}

/** Holds the lease for this instance, and renews it in the background. */
export class HeldLease {
  private readonly renewal: OneTimer;
  private lease: Lease = NEWCOMER;
  private isClosed = false;

  constructor(
    private readonly calls: Pick<StoreCalls, 'turn' | 'release'>,
    private readonly pollMs: number,
    private readonly clock: Clock,
  ) {
    this.renewal = oneTimer(clock);
  }

  /** Returns the fence of the lease, or `undefined` if this instance does not hold it. */
  fence(): number | undefined {
    return this.lease.fence;
  }

  /** Asks for the lease, or renews it. The result is `undefined` if the store failed. */
  async turn(): Promise<SharedTurn | undefined> {
    const turn = await this.ask();
    this.become(turned(this.lease, turn));
    return turn;
  }

  /** Call this when the holder's poll has succeeded. */
  polled(): void {
    this.become(polled(this.lease));
  }

  /** Call this when the holder's poll has failed. `knowsAny` says whether the holder has a snapshot. */
  pollFailed(isSilent: boolean, knowsAny: boolean): void {
    this.become((isSilent ? pollSilent : pollFailed)(this.lease, knowsAny, this.pollMs, this.clock.now()));
  }

  /**
   * Call this when the holder could not write. With `isLost`, the lease of this fence has ended. Without it, the store
   * has failed.
   */
  notWritten(fence: number, isLost: boolean): void {
    if (this.lease.fence === fence) this.become(isLost ? NEWCOMER : left(this.pollMs, this.clock.now()));
  }

  /** Stops the renewals, and gives the lease back. The promise never rejects. */
  async close(publishing: () => Promise<unknown>): Promise<void> {
    this.isClosed = true;
    this.renewal.stop();
    await publishing();
    // The lease is given back even if this instance does not hold it, because a call under way may still take it.
    await this.calls.release();
  }

  private become(next: Lease): void {
    this.lease = next;
    if (next.fence === undefined || this.isClosed) this.renewal.stop();
    else this.renewal.ensure(renewalMs(this.pollMs), () => void this.renew());
  }

  private ask(): Promise<SharedTurn | undefined> {
    return this.calls.turn(wantedLeaseMs(this.lease, this.pollMs, this.clock.now()));
  }

  /** Renews the lease in the background, because a poll may take longer than the lease. */
  private async renew(): Promise<void> {
    const turn = await this.ask();
    // A poll that failed meanwhile may have given up the lease.
    if (this.lease.fence !== undefined) this.become(turned(this.lease, turn));
    else if (turn?.fence !== undefined) await this.calls.release();
  }
}
