const PATIENT_ATTEMPTS = 4;
const BODIES_OF_PATIENCE = 3;
/** The limit in milliseconds if no duration is known. Flipt v1 needs 2.5 s for 1,000 flags, and more under load. */
const UNMEASURED_SILENCE_MS = 30_000;
/**
 * A whole body may take this many milliseconds, and no poll may be silent for longer. Flipt v1 takes seconds for 1,000
 * flags.
 */
export const LONGEST_FETCH_MS = 60_000;

/** The expected milliseconds for one flag. Flipt v1 with SQLite needs 2.3 to 2.9 ms. */
const FLAG_MS = 3;

/** Returns how many milliseconds a whole body of so many flags probably takes, if this instance has got none yet. */
export function likelyWholeMs(flags: number): number {
  return FLAG_MS * flags;
}

/**
 * Returns after how many milliseconds without a response something is probably wrong: four times `http.timeoutMs`,
 * which is time for four attempts.
 */
export function patienceMs(timeoutMs: number): number {
  return Math.min(PATIENT_ATTEMPTS * timeoutMs, LONGEST_FETCH_MS);
}

/**
 * Returns for how many milliseconds a poll may be silent, after `silences` silent polls in a row. `wholeMs` is what a
 * whole body takes, or 0 if nobody knows. Flipt needs about the same time for each whole body, but more under load, so
 * the limit is generous and doubles with each silent poll.
 */
export function silenceLimitMs(timeoutMs: number, wholeMs: number, silences: number): number {
  const expected =
    wholeMs > 0 ? Math.max(patienceMs(timeoutMs), BODIES_OF_PATIENCE * wholeMs) : UNMEASURED_SILENCE_MS;
  return Math.min(expected * 2 ** silences, LONGEST_FETCH_MS);
}
