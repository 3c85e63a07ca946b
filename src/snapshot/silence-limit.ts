const PATIENT_ATTEMPTS = 4;
const BODIES_OF_PATIENCE = 3;
/** v1 needs 2.5 s for 1,000 flags, and more under load. */
const UNMEASURED_SILENCE_MS = 30_000;
const LONGEST_SILENCE_MS = 60_000;

/** A request of `http.timeoutMs` has four attempts of patience: without an answer for so long, something is wrong. */
export function patienceMs(timeoutMs: number): number {
  return Math.min(PATIENT_ATTEMPTS * timeoutMs, LONGEST_SILENCE_MS);
}

/**
 * How long a poll may be silent, after so many silent polls in a row. A service needs about the same time for each
 * whole body, but more under load: so the limit is generous, and doubles.
 */
export function silenceLimitMs(timeoutMs: number, fullBodyMs: number, silences: number): number {
  const expected =
    fullBodyMs > 0 ? Math.max(patienceMs(timeoutMs), BODIES_OF_PATIENCE * fullBodyMs) : UNMEASURED_SILENCE_MS;
  return Math.min(expected * 2 ** silences, LONGEST_SILENCE_MS);
}
