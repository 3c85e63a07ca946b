import type { Clock } from '../../time/clock.js';
import { oneTimer } from '../../time/one-timer.js';
import { NEWCOMER, renewalMs, turned, wantedLeaseMs, type Lease } from './lease-rules.js';
import type { StoreCalls } from './store-calls.js';

export type HeldLease = ReturnType<typeof heldLease>;

/** This instance's part in the lease, which it renews in the background while it holds it. */
export function heldLease(calls: StoreCalls, pollMs: number, clock: Clock) {
  const renewal = oneTimer(clock);
  let lease: Lease = NEWCOMER;
  let isClosed = false;

  const become = (next: Lease) => {
    lease = next;
    if (lease.fence === undefined || isClosed) renewal.stop();
    else renewal.ensure(renewalMs(pollMs), () => void renew());
  };
  const ask = () => calls.turn(wantedLeaseMs(lease, pollMs, clock.now()));
  /** Renews the lease, because a poll may take longer than a lease. */
  const renew = async () => {
    const turn = await ask();
    // A poll that failed meanwhile may have given the lease up.
    if (lease.fence !== undefined) become(turned(lease, turn));
    else if (turn?.fence !== undefined) await calls.release();
  };

  return {
    current: () => lease,
    /** Asks for the lease, or renews it. `undefined` if the store failed. */
    async turn() {
      const turn = await ask();
      become(turned(lease, turn));
      return turn;
    },
    become,
    /** Stops the renewals, and gives the lease back. Never rejects. */
    async close(publishing: () => Promise<void>) {
      isClosed = true;
      renewal.stop();
      await publishing();
      // Called even without a lease, because a call under way may still take one.
      await calls.release();
    },
  };
}
