const PATIENT_ATTEMPTS = 4;
const BODIES_OF_PATIENCE = 3;
/** v1 needs 2.5 s for 1,000 flags, and more under load. */
const UNMEASURED_SILENCE_MS = 30_000;
/** What a whole body may take, and so the longest silence: v1 takes seconds for 1,000 flags. */
export const LONGEST_FETCH_MS = 60_000;

/** v1 with SQLite needs 2.3 to 2.9 ms for a flag. */
const FLAG_MS = 3;

/** What a whole body of so many flags takes, where this instance has got none. */
export function likelyWholeMs(flags: number): number {
  return FLAG_MS * flags;
}

/** A request of `http.timeoutMs` has four attempts of patience: without an answer for so long, something is wrong. */
export function patienceMs(timeoutMs: number): number {
  return Math.min(PATIENT_ATTEMPTS * timeoutMs, LONGEST_FETCH_MS);
}

/**
 * How long a poll may be silent, after so many silent polls in a row. A service needs about the same time for each
 * whole body, but more under load: so the limit is generous, and doubles. `wholeMs`: what one takes; 0 if nobody knows.
 */
export function silenceLimitMs(timeoutMs: number, wholeMs: number, silences: number): number {
  const expected =
    wholeMs > 0 ? Math.max(patienceMs(timeoutMs), BODIES_OF_PATIENCE * wholeMs) : UNMEASURED_SILENCE_MS;
  return Math.min(expected * 2 ** silences, LONGEST_FETCH_MS);
}
