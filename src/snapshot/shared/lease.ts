import type { SharedTurn } from '../../options/snapshot-store.js';
import { type Clock, oneTimer, type OneTimer } from '../../base/time/clock.js';
import type { StoreCalls } from './store-calls.js';

/**
 * What an instance knows about the lease of a store that many instances share. The instance that holds the lease polls
 * for all instances. All times are milliseconds of the clock's `now`.
 */
export interface Lease {
  /**
   * The number (fence) that the store has given to the lease of this instance, or `undefined` if this instance does not
   * hold the lease as far as it knows.
   */
  readonly fence: number | undefined;
  /** The number of polls in a row that have failed while this instance held the lease. */
  readonly failures: number;
  /** Until this time, this instance does not ask for the lease, so that another instance can get it. */
  readonly leavesUntil: number;
}

export const NEWCOMER: Lease = { fence: undefined, failures: 0, leavesUntil: -Infinity };

/**
 * The duration of a lease, in intervals of `pollMs`. If the instance that holds the lease dies, its lease ends within
 * this duration, and another instance asks for the lease within 1.2 more intervals.
 */
const LEASE_INTERVALS = 1;
/**
 * A lease lasts for at least this many milliseconds, because a shorter lease would end whenever the event loop of its
 * holder is busy.
 */
const SHORTEST_LEASE_MS = 100;
/**
 * The holder renews its lease this many times in the duration of a lease, so that one lost renewal does not end the
 * lease.
 */
const RENEWALS = 3;
/**
 * After this many failed polls in a row, the holder leaves the lease to another instance, because the network may have
 * failed for the holder only. A poll to which the service answered with a request for a pause does not count. A holder
 * leaves the lease after the first failed poll if it has no snapshot, and after the second if that poll got no response
 * in time.
 */
const MOST_FAILURES = 3;
/**
 * For this many intervals of `pollMs`, an instance that leaves the lease to others does not ask for the lease. While
 * one instance leaves the lease to others, every other instance asks for the lease at least once.
 */
const LEFT_FOR_INTERVALS = 1.3;

export function leaseMs(pollMs: number): number {
  return Math.ceil(Math.max(pollMs * LEASE_INTERVALS, SHORTEST_LEASE_MS));
}

export function renewalMs(pollMs: number): number {
  return leaseMs(pollMs) / RENEWALS;
}

/**
 * Returns the milliseconds for which the instance asks for the lease, or 0 if the instance leaves the lease to others
 * and only reads the store's record.
 */
export function wantedLeaseMs({ leavesUntil }: Lease, pollMs: number, now: number): number {
  return now < leavesUntil ? 0 : leaseMs(pollMs);
}

/**
 * Returns the next state of the lease after the store has answered with `turn`. If the store has failed, `turn` is
 * `undefined`, and this instance assumes that it does not hold the lease.
 */
export function turned(lease: Lease, turn: SharedTurn | undefined): Lease {
  const fence = turn?.fence;
  return fence === lease.fence ? lease : { ...lease, fence, failures: 0 };
}

/**
 * Returns the next state of the lease after a poll of the holder has succeeded: the holder can renew the lease again.
 */
export function polled(lease: Lease): Lease {
  return { ...lease, failures: 0, leavesUntil: -Infinity };
}

/**
 * Returns the next state of the lease after a poll of the holder has got no response in time. Other instances may be
 * able to reach the service, so the holder does not renew the lease. In the rest of its lease, the holder polls once
 * more. If the holder has no snapshot, or if its previous poll failed, too, it gives up the lease now.
 */
export function pollSilent(lease: Lease, knowsAny: boolean, pollMs: number, now: number): Lease {
  if (!knowsAny || lease.failures > 0) return left(pollMs, now);
  return { ...left(pollMs, now), fence: lease.fence, failures: 1 };
}

/**
 * Returns the next state of the lease after a poll of the holder has failed. The holder usually keeps the lease for
 * some more polls, so that during an outage only one instance polls, and not all instances one after another.
 */
export function pollFailed(lease: Lease, knowsAny: boolean, pollMs: number, now: number): Lease {
  const failures = lease.failures + 1;
  // If this instance has no snapshot to fall back on, it gives up the lease at once, because the other instances would
  // wait for its snapshot in vain.
  return knowsAny && failures < MOST_FAILURES ? { ...lease, failures } : left(pollMs, now);
}

/**
 * Returns the next state of the lease if the holder leaves the lease to others for a while, for example because it
 * cannot write into the store.
 */
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

  /** Returns the number (fence) of the lease, or `undefined` if this instance does not hold the lease. */
  fence(): number | undefined {
    return this.lease.fence;
  }

  /**
   * Reads the store's record, and asks for the lease or renews it. An instance that leaves the lease to others for a
   * while only reads the record. The result is `undefined` if the store has failed.
   */
  async turn(): Promise<SharedTurn | undefined> {
    const turn = await this.ask();
    this.become(turned(this.lease, turn));
    return turn;
  }

  /** To be called when the holder's poll has succeeded. */
  polled(): void {
    this.become(polled(this.lease));
  }

  /**
   * To be called when the holder's poll has failed. `isSilent` says whether no response came in time, and `knowsAny`
   * says whether the holder has a snapshot.
   */
  pollFailed(isSilent: boolean, knowsAny: boolean): void {
    this.become((isSilent ? pollSilent : pollFailed)(this.lease, knowsAny, this.pollMs, this.clock.now()));
  }

  /**
   * To be called when the holder could not write into the store. `fence` is the number of the lease with which the
   * holder tried to write. If `isLost` is true, the lease has ended. If `isLost` is false, the store has failed.
   */
  notWritten(fence: number, isLost: boolean): void {
    if (this.lease.fence === fence) this.become(isLost ? NEWCOMER : left(this.pollMs, this.clock.now()));
  }

  /** Stops the renewals, waits for `publishing`, and gives the lease back. The promise never rejects. */
  async close(publishing: () => Promise<unknown>): Promise<void> {
    this.isClosed = true;
    this.renewal.stop();
    await publishing();
    // The lease is given back even if this instance does not hold it, because a call of `turn` that is still under way
    // may get the lease.
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

  /** Renews the lease in the background, because a poll can take longer than the duration of the lease. */
  private async renew(): Promise<void> {
    const turn = await this.ask();
    // If a poll has failed in the meantime, the instance may have given up the lease.
    if (this.lease.fence !== undefined) this.become(turned(this.lease, turn));
    else if (turn?.fence !== undefined) await this.calls.release();
  }
}
