import { policyOf } from '../model/failure.js';
import type { Clock } from '../time/clock.js';
import type { Attempt } from './circuit-breaker.js';
import type { HealthState } from './health-state.js';
import { attempted, type Health } from './health-transitions.js';

/** So long after the service has answered any request, the context of others may be what makes them fail. */
const DOUBTFUL_FOR_MS = 10_000;
/** So often a check may decide whether the circuit opens. */
const DECIDED_EVERY_MS = 1_000;

/**
 * Learns from attempts, of which too many that fail open the circuit. A firewall in front of the service may let some
 * contexts fail, and no others. So while requests are answered, the circuit opens only if a check, which sends no
 * context, fails as well.
 */
export function circuitOpening(
  { read, become, moment, check, isChecking }: HealthState,
  clock: Clock,
): (attempt: Attempt) => void {
  /** When a check last kept the circuit closed. */
  let keptClosedAt = -Infinity;

  const openIfCheckFails = async ({ circuit }: Health) => {
    if (isChecking() || clock.now() - keptClosedAt < DECIDED_EVERY_MS) return;
    const failure = await check();
    if (failure === undefined || policyOf(failure).countsForCircuit === 'no') keptClosedAt = clock.now();
    else if (read().circuit.state === 'closed') become({ ...read(), circuit });
  };

  return (attempt) => {
    const before = read();
    const next = attempted(before, attempt, moment());
    const opens = before.circuit.state === 'closed' && next.circuit.state === 'open';
    // A check that has failed since then, such as that of a search, is enough.
    const isUnchecked =
      before.checkFailedAt <= before.heardAt && clock.now() - before.heardAt < DOUBTFUL_FOR_MS;
    // Without a background, nobody waits for the check.
    const isDoubtful = clock.hasBackground && isUnchecked;
    if (opens && isDoubtful) void openIfCheckFails(next);
    else become(next);
  };
}
