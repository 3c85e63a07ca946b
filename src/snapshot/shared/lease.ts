import type { SharedTurn } from '../../options/snapshot-store.js';
import { type Clock, oneTimer, type OneTimer } from '../../base/time/clock.js';
import type { StoreCalls } from './store-calls.js';

/**
 * One instance and the lease of a store that many instances share: the holder polls for all. Times are milliseconds of
 * the clock's `now`.
 */
export interface Lease {
  /** The fence of the lease that this instance holds; `undefined` if it holds none, as far as it knows. */
  readonly fence: number | undefined;
  /** Failed polls in a row while it held the lease. */
  readonly failures: number;
  /** Until then, it leaves the lease to others. */
  readonly leavesUntil: number;
}

export const NEWCOMER: Lease = { fence: undefined, failures: 0, leavesUntil: -Infinity };

/**
 * The length of a lease, in intervals of `pollMs`. If the holder dies, the lease is free after that, and another
 * instance looks within 1.2 intervals more.
 */
const LEASE_INTERVALS = 1;
/** A shorter lease would expire whenever the holder's event loop is busy. */
const SHORTEST_LEASE_MS = 100;
/** So many renewals during a lease, because one lost renewal must not end it. */
const RENEWALS = 3;
/** After so many failures, another instance may try: perhaps the network failed for this one only. */
const MOST_FAILURES = 3;
/** Long enough that every other instance looks once before this one asks for the lease again. */
const LEFT_FOR_INTERVALS = 1.3;

export function leaseMs(pollMs: number): number {
  return Math.ceil(Math.max(pollMs * LEASE_INTERVALS, SHORTEST_LEASE_MS));
}

export function renewalMs(pollMs: number): number {
  return leaseMs(pollMs) / RENEWALS;
}

/** For how long the instance asks for the lease; 0 if it only looks. */
export function wantedLeaseMs({ leavesUntil }: Lease, pollMs: number, now: number): number {
  return now < leavesUntil ? 0 : leaseMs(pollMs);
}

/** The store has answered. `undefined`: it has failed, so nobody knows which instance holds the lease. */
export function turned(lease: Lease, turn: SharedTurn | undefined): Lease {
  const fence = turn?.fence;
  return fence === lease.fence ? lease : { ...lease, fence, failures: 0 };
}

/** The holder's poll has succeeded. It may renew the lease again. */
export function polled(lease: Lease): Lease {
  return { ...lease, failures: 0, leavesUntil: -Infinity };
}

/**
 * The holder's poll got no answer. Other instances may reach the service, so the holder does not renew the lease. In
 * what is left of it, one more request may follow at once.
 */
export function pollSilent(lease: Lease, knowsAny: boolean, pollMs: number, now: number): Lease {
  if (!knowsAny || lease.failures > 0) return left(pollMs, now);
  return { ...left(pollMs, now), fence: lease.fence, failures: 1 };
}

/**
 * The holder's poll failed. It keeps the lease for a while, so that during an outage one instance polls and not all in
 * turn.
 */
export function pollFailed(lease: Lease, knowsAny: boolean, pollMs: number, now: number): Lease {
  const failures = lease.failures + 1;
  // Without any snapshot, the others would only wait for this instance.
  return knowsAny && failures < MOST_FAILURES ? { ...lease, failures } : left(pollMs, now);
}

/** The holder cannot write, or has lost its lease. */
export function left(pollMs: number, now: number): Lease {
  return { ...NEWCOMER, leavesUntil: now + LEFT_FOR_INTERVALS * pollMs };
}

/** This instance's part in the lease, which it renews in the background while it holds it. */
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

  /** Its fence; `undefined` if this instance does not hold it. */
  fence(): number | undefined {
    return this.lease.fence;
  }

  /** Asks for the lease, or renews it. `undefined` if the store failed. */
  async turn(): Promise<SharedTurn | undefined> {
    const turn = await this.ask();
    this.become(turned(this.lease, turn));
    return turn;
  }

  /** The holder's poll has succeeded. */
  polled(): void {
    this.become(polled(this.lease));
  }

  /** The holder's poll has failed. `knowsAny`: it has a snapshot. */
  pollFailed(isSilent: boolean, knowsAny: boolean): void {
    this.become((isSilent ? pollSilent : pollFailed)(this.lease, knowsAny, this.pollMs, this.clock.now()));
  }

  /** The holder could not write: because the store failed or, if `isLost`, because this lease has ended. */
  notWritten(fence: number, isLost: boolean): void {
    if (this.lease.fence === fence) this.become(isLost ? NEWCOMER : left(this.pollMs, this.clock.now()));
  }

  /** Stops the renewals, and gives the lease back. Never rejects. */
  async close(publishing: () => Promise<unknown>): Promise<void> {
    this.isClosed = true;
    this.renewal.stop();
    await publishing();
    // Called even without a lease, because a call under way may still take one.
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

  /** Renews the lease, because a poll may take longer than a lease. */
  private async renew(): Promise<void> {
    const turn = await this.ask();
    // A poll that failed meanwhile may have given the lease up.
    if (this.lease.fence !== undefined) this.become(turned(this.lease, turn));
    else if (turn?.fence !== undefined) await this.calls.release();
  }
}
