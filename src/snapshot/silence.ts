const PATIENT_ATTEMPTS = 4;
const BODIES_OF_PATIENCE = 3;
/**
 * The milliseconds for which the provider waits for a response to a poll if it has neither measured how long a whole
 * snapshot takes nor has flags from which to estimate that. After a poll without a response, the provider waits longer.
 * Flipt v1 needs 2.5 s for a snapshot with 1,000 flags, and more time under load.
 */
const UNMEASURED_SILENCE_MS = 30_000;
/**
 * The longest time, in milliseconds, for which the provider waits for a response to a poll, and also for a whole
 * snapshot. Flipt v1 needs seconds for a snapshot with 1,000 flags.
 */
export const LONGEST_FETCH_MS = 60_000;

/**
 * The milliseconds that Flipt is expected to need for each flag of a snapshot. Flipt v1 with SQLite needs 2.3 to 2.9 ms
 * for each flag.
 */
const FLAG_MS = 3;

/**
 * Returns the milliseconds that a whole snapshot with this many flags probably takes. The provider uses this estimate
 * until this instance has received a whole snapshot.
 */
export function likelyWholeMs(flags: number): number {
  return FLAG_MS * flags;
}

/**
 * Returns the milliseconds after which a request without a response has probably failed: four times `http.timeoutMs`,
 * which is the time of four attempts, but at most a minute.
 */
export function patienceMs(timeoutMs: number): number {
  return Math.min(PATIENT_ATTEMPTS * timeoutMs, LONGEST_FETCH_MS);
}

/**
 * Returns the longest time, in milliseconds, for which the provider waits for a response to a poll if the last
 * `silences` polls in a row have got no response. `wholeMs` is the duration of a whole snapshot in milliseconds, or 0
 * if it is not known. Flipt needs about the same time for each whole snapshot, but more time under load, so the time
 * limit is generous, and doubles with each poll without a response, up to a minute.
 */
export function silenceLimitMs(timeoutMs: number, wholeMs: number, silences: number): number {
  const expected =
    wholeMs > 0 ? Math.max(patienceMs(timeoutMs), BODIES_OF_PATIENCE * wholeMs) : UNMEASURED_SILENCE_MS;
  return Math.min(expected * 2 ** silences, LONGEST_FETCH_MS);
}
