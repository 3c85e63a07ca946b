import { withOne, noCounts, sums, type RecentCounts } from '../../base/time/recent-counts.js';
import type { Failure } from '../../model/failure.js';

/**
 * The state of the circuit breaker. The functions of this file have no side effects: each exported function takes the
 * present state and returns the next state. All times in this file are milliseconds of `clock.now()`.
 */
export type Circuit =
  | {
      readonly state: 'closed';
      readonly inARow: number;
      readonly lastFailedAt: number;
      readonly counts: RecentCounts;
    }
  | {
      readonly state: 'open' | 'half-open';
      /** The last failure before the circuit opened, or the failure of the last health check. */
      readonly failure: Failure;
      /** The time at which the open circuit makes a health check due, or Infinity while a check is under way. */
      readonly checkAt: number;
      readonly openForMs: number;
    };

export interface Attempt {
  /**
   * The failure of an HTTP request, if the failure counts for the circuit breaker. This member is `undefined` if Flipt
   * has answered the request, or has rejected it in a way that does not count, such as with status 400.
   */
  readonly failure: Failure | undefined;
  readonly sentAt: number;
}

export interface CircuitSettings {
  readonly failures: number;
  readonly openForMs: number;
  readonly maxOpenForMs: number;
}

/**
 * What the functions of this file need besides the present state: the present time, a function for random delays, and
 * the settings.
 */
export interface Moment {
  readonly now: number;
  /** Shortens a duration in milliseconds at random, so that many instances do not check Flipt at the same moment. */
  readonly jitter: (ms: number) => number;
  /** The settings of the circuit breaker, or `undefined` if the circuit never opens. */
  readonly breaker: CircuitSettings | undefined;
}

/**
 * Failures that are not in a row can open the circuit, too, if at least half of twenty or more requests within ten
 * seconds have failed.
 */
const ENOUGH_REQUESTS = 20;
const FAILED_SHARE = 0.5;
/**
 * If two failures are further apart than this many milliseconds, they do not count as failures in a row, even if no
 * request was sent between them.
 */
const IN_A_ROW_WITHIN_MS = 60_000;

export const CLOSED_CIRCUIT: Circuit = {
  state: 'closed',
  inARow: 0,
  lastFailedAt: -Infinity,
  counts: noCounts,
};

/**
 * Returns the state of the circuit after the outcome of a request. `sentAt` is the time at which the request was sent.
 * If the circuit is not closed, the outcome changes nothing. Requests that fail together, as in one short interruption,
 * count only once among the failures in a row.
 */
export function afterRequest(
  circuit: Circuit,
  { failure, sentAt }: Attempt,
  { now, jitter, breaker }: Moment,
): Circuit {
  if (circuit.state !== 'closed' || breaker === undefined) return circuit;
  const isNew = sentAt >= circuit.lastFailedAt;
  const before = now - circuit.lastFailedAt < IN_A_ROW_WITHIN_MS ? circuit.inARow : 0;
  const inARow = failure === undefined ? 0 : before + (isNew ? 1 : 0);
  const lastFailedAt = failure !== undefined && isNew ? now : circuit.lastFailedAt;
  const counts = withOne(circuit.counts, now, failure !== undefined);
  const { all, marked } = sums(counts, now);
  const tooMany = all >= ENOUGH_REQUESTS && marked >= all * FAILED_SHARE;
  if (failure === undefined || (inARow < breaker.failures && !tooMany)) {
    return { state: 'closed', inARow, lastFailedAt, counts };
  }
  return openedFor(breaker.openForMs, failure, { now, jitter });
}

/** Returns the state of the circuit after a health check was sent: an open circuit becomes half-open. */
export function halfOpen(circuit: Circuit): Circuit {
  return circuit.state === 'open' ? { ...circuit, state: 'half-open', checkAt: Infinity } : circuit;
}

/**
 * Returns the state of the circuit after a failed health check: an open circuit stays open for about twice as long as
 * before, up to `maxOpenForMs` (or `openForMs`, if that is longer), and a closed circuit stays closed.
 */
export function openAgain(circuit: Circuit, failure: Failure, moment: Moment): Circuit {
  const { breaker } = moment;
  if (circuit.state === 'closed' || breaker === undefined) return circuit;
  const openForMs = Math.min(circuit.openForMs * 2, Math.max(breaker.maxOpenForMs, breaker.openForMs));
  return openedFor(openForMs, failure, moment);
}

/**
 * Returns the state of the circuit after a health check has failed while polls of the snapshot fail, too: the circuit
 * is open, however few requests have failed, unless the settings say that it never opens.
 */
export function openAtLast(circuit: Circuit, failure: Failure, moment: Moment): Circuit {
  const { breaker } = moment;
  if (circuit.state !== 'closed' || breaker === undefined) return openAgain(circuit, failure, moment);
  return openedFor(breaker.openForMs, failure, moment);
}

function openedFor(openForMs: number, failure: Failure, { now, jitter }: Omit<Moment, 'breaker'>): Circuit {
  return { state: 'open', failure, checkAt: now + jitter(openForMs), openForMs };
}
