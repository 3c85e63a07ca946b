import type { SharedTurn } from '../../options/snapshot-options.js';

/** One instance's part in a store that many share. Times are milliseconds of the clock's `now`. */
export interface Share {
  /** Of the lease that it holds; `undefined`: it holds none, as far as it knows. */
  readonly fence: number | undefined;
  /** Polls in a row that have failed while it held the lease. */
  readonly failures: number;
  /** It leaves the lease to others until then. */
  readonly leavesUntil: number;
}

export const NEWCOMER: Share = { fence: undefined, failures: 0, leavesUntil: -Infinity };

/** Of `pollMs`: so long after the death of its holder the lease is free, and the next look comes within 1.2 of them. */
const LEASE_INTERVALS = 1;
/** A shorter lease would end whenever the holder's event loop is busy. */
const SHORTEST_LEASE_MS = 100;
/** One lost renewal must not end the lease. */
const RENEWALS = 3;
/** After so many failures, another instance may have more luck: the network may have failed for one of them only. */
const MOST_FAILURES = 3;
/** Long enough that every other instance looks once before this one asks for the lease again. */
const LEFT_FOR_INTERVALS = 1.3;

export function leaseMs(pollMs: number): number {
  return Math.ceil(Math.max(pollMs * LEASE_INTERVALS, SHORTEST_LEASE_MS));
}

export function renewalMs(pollMs: number): number {
  return leaseMs(pollMs) / RENEWALS;
}

/** For how long it asks for the lease; 0: it only looks. */
export function wantedLeaseMs({ leavesUntil }: Share, pollMs: number, now: number): number {
  return now < leavesUntil ? 0 : leaseMs(pollMs);
}

/** The store has answered, or has failed (`undefined`): then it is unknown which instance holds the lease. */
export function turned(share: Share, turn: SharedTurn | undefined): Share {
  const fence = turn?.fence;
  return fence === share.fence ? share : { ...share, fence, failures: 0 };
}

/** The holder's poll has succeeded. */
export function polled(share: Share): Share {
  return { ...share, failures: 0 };
}

/** The holder's poll has failed. It keeps the lease for a while: during an outage, one instance polls, and not each in turn. */
export function pollFailed(share: Share, knowsAny: boolean, pollMs: number, now: number): Share {
  const failures = share.failures + 1;
  // Others without any snapshot would wait for nothing.
  return knowsAny && failures < MOST_FAILURES ? { ...share, failures } : left(pollMs, now);
}

/** The holder cannot write, or not its own lease any more. */
export function left(pollMs: number, now: number): Share {
  return { ...NEWCOMER, leavesUntil: now + LEFT_FOR_INTERVALS * pollMs };
}
