const PATIENT_ATTEMPTS = 4;
const BODIES_OF_PATIENCE = 3;
/**
 * The longest time, in milliseconds, that a poll can be silent if nobody knows how long a whole snapshot takes. Flipt
 * v1 needs 2.5 s for 1,000 flags, and more time under load.
 */
const UNMEASURED_SILENCE_MS = 30_000;
/**
 * The longest time, in milliseconds, that a whole snapshot can take and that a poll can be silent. Flipt v1 takes
 * seconds for 1,000 flags.
 */
export const LONGEST_FETCH_MS = 60_000;

/**
 * The milliseconds that Flipt is expected to need for each flag of a snapshot. Flipt v1 with SQLite needs 2.3 to 2.9 ms
 * for each flag.
 */
const FLAG_MS = 3;

/**
 * Returns the milliseconds that a whole snapshot with this many flags probably takes. The estimate is used as long as
 * this instance has received no whole snapshot.
 */
export function likelyWholeMs(flags: number): number {
  return FLAG_MS * flags;
}

/**
 * Returns the milliseconds without a response after which something is probably wrong: four times `http.timeoutMs`,
 * which is the time of four attempts, but at most a minute.
 */
export function patienceMs(timeoutMs: number): number {
  return Math.min(PATIENT_ATTEMPTS * timeoutMs, LONGEST_FETCH_MS);
}

/**
 * Returns the longest time, in milliseconds, for which a poll can be silent after `silences` silent polls in a row.
 * `wholeMs` is the duration of a whole snapshot in milliseconds, or 0 if it is not known. Flipt needs about the same
 * time for each whole snapshot, but more time under load, so the limit is generous and doubles with each silent poll.
 */
export function silenceLimitMs(timeoutMs: number, wholeMs: number, silences: number): number {
  const expected =
    wholeMs > 0 ? Math.max(patienceMs(timeoutMs), BODIES_OF_PATIENCE * wholeMs) : UNMEASURED_SILENCE_MS;
  return Math.min(expected * 2 ** silences, LONGEST_FETCH_MS);
}
