import type { Clock } from '../time/clock.js';

/**
 * What a whole snapshot costs the service. One duration proves little, because it contains pauses of the service,
 * queues behind a fleet that starts, and blocks of our own event loop. So the smaller of the last two bodies counts. A
 * single body counts only as far as its size explains its cost. A cost that makes polls rarer is measured again. A 304
 * proves nothing, but one that has become fast says that it is time to measure.
 */
export type BodyCost = ReturnType<typeof openBodyCost>;

/** Times are milliseconds of the clock's `now`. */
export interface CostReading {
  /** Milliseconds of the service for a whole body; 0 if nothing is proved. */
  readonly ms: number;
  /** The same, if what is not proved counts as well. */
  readonly likelyMs: number;
  /** When the service served the last whole body to this instance; -Infinity before the first. */
  readonly at: number;
  /** When to fetch a whole body, although it may be unchanged, to measure the cost again; Infinity: never. */
  readonly measureAt: number;
}

export const UNMEASURED: CostReading = { ms: 0, likelyMs: 0, at: -Infinity, measureAt: Infinity };

/** A whole body is expensive for the service. It spends at most a twentieth of its time on this instance's bodies. */
export const BODY_SHARE = 20;
/** v1 with SQLite needs 2.3 to 2.9 ms for a flag. */
const FLAG_MS = 3;
/** With the spread, a wrong cost is corrected within two minutes. */
const MEASURE_AFTER_MS = 75_000;
/** The bodies of a fleet that started at once must not queue again. */
const SPREAD = 0.4;
/** A cost that has stood for some time is real more often, so it is measured less and less often. */
const STOOD_SHARE = 2;
/** While a 304 takes at least so much of a body's time, the service is slow for both, or busy. */
const SLOW_SHARE = 0.1;
/** A 304 so much faster than that shows that this has passed. */
const FAST_SHARE = 0.25;
/** No cost makes polls rarer for longer than this without a body that proves it again. */
const PROVED_FOR_MS = 3_600_000;

interface Bodies {
  readonly lastMs: number;
  /** The smaller of the last two. */
  readonly smallerMs: number;
  /** As much of that as is proved: all of it by two bodies. */
  readonly provedMs: number;
  /** What the size explains. */
  readonly explainedMs: number;
  readonly at: number;
  /** Since when the cost makes polls rarer; `undefined` if it does not. */
  readonly standsSince: number | undefined;
}

/** `flags`: how many there are in the body. `isHeld`: the service had it in memory, so that its size costs nothing. */
export interface MeasuredBody {
  readonly ms: number;
  readonly flags: number;
  readonly isHeld: boolean;
}

/** Measures the cost for a watch that polls every `pollMs`. Random numbers spread the measurements of a fleet. */
export function openBodyCost(pollMs: number, clock: Pick<Clock, 'now'>, random: () => number) {
  let bodies: Bodies | undefined;
  let measureAt = Infinity;
  /** How long the slowest 304 took since they were last fast. */
  let slowestMs = 0;
  /** What the instance that polls for all has written, and since when. */
  let ofHolder: { readonly ms: number; readonly since: number } | undefined;

  const isLong = (ms: number) => BODY_SHARE * ms > pollMs;
  const inForce = () => {
    if (bodies === undefined || !isLong(bodies.smallerMs)) return bodies;
    return clock.now() - bodies.at < PROVED_FOR_MS ? bodies : undefined;
  };
  const spread = (ms: number) => clock.now() + ms * (1 - SPREAD + 2 * SPREAD * random());
  /** Where the size explains the time, the measurement is expensive, too. */
  const soonestMs = ({ smallerMs, explainedMs }: Bodies) =>
    Math.max(MEASURE_AFTER_MS, BODY_SHARE * Math.min(smallerMs, explainedMs));

  return {
    /** The service has just served a whole body. */
    measured({ ms, flags, isHeld }: MeasuredBody) {
      const at = clock.now();
      const before = inForce();
      const explainedMs = isHeld ? 0 : FLAG_MS * flags;
      const smallerMs = Math.min(ms, before?.lastMs ?? Infinity);
      const provedMs = before === undefined && isLong(ms) ? Math.min(ms, explainedMs) : smallerMs;
      const standsSince = isLong(provedMs) ? (before?.standsSince ?? at) : undefined;
      bodies = { lastMs: ms, smallerMs, explainedMs, provedMs, at, standsSince };
      ofHolder = undefined;
      const stoodMs = at - (standsSince ?? at);
      measureAt = isLong(smallerMs) ? spread(Math.max(soonestMs(bodies), STOOD_SHARE * stoodMs)) : Infinity;
    },
    /** The service has said that the snapshot is unchanged, and needed so many milliseconds. */
    confirmed(ms: number) {
      const known = inForce();
      if (known === undefined || measureAt === Infinity) {
        slowestMs = 0;
        return;
      }
      const hasPassed = slowestMs >= SLOW_SHARE * known.smallerMs && ms <= FAST_SHARE * slowestMs;
      if (hasPassed) measureAt = Math.min(measureAt, spread(soonestMs(known)));
      slowestMs = hasPassed ? ms : Math.max(slowestMs, ms);
    },
    /** Whether to fetch a whole body now. Then it is not due again soon, even if the request fails. */
    takeMeasurement(): boolean {
      const isDue = inForce() !== undefined && clock.now() >= measureAt;
      if (isDue) measureAt = spread(MEASURE_AFTER_MS);
      return isDue;
    },
    /** Another instance polls for this one, and has written this cost. It counts until this instance polls itself. */
    written(ms: number) {
      if (ofHolder?.ms !== ms) ofHolder = { ms, since: clock.now() };
    },
    /** This instance polls for all, and what it writes must be proved by its own bodies. */
    holds() {
      ofHolder = undefined;
    },
    read(): CostReading {
      const known = inForce();
      const at = bodies?.at ?? UNMEASURED.at;
      if (ofHolder !== undefined) {
        const isOld = clock.now() - ofHolder.since >= PROVED_FOR_MS;
        const ms = isOld && isLong(ofHolder.ms) ? 0 : ofHolder.ms;
        return { ms, likelyMs: ms, at, measureAt: Infinity };
      }
      if (known === undefined) return { ...UNMEASURED, at };
      return { ms: known.provedMs, likelyMs: known.smallerMs, at, measureAt };
    },
  };
}

const PATIENT_ATTEMPTS = 4;
const BODIES_OF_PATIENCE = 3;
/** v1 needs 2.5 s for 1,000 flags, and more under load. */
const UNMEASURED_SILENCE_MS = 30_000;
/** What a whole body may take, and so the longest silence: v1 takes seconds for 1,000 flags. */
export const LONGEST_FETCH_MS = 60_000;

/** A request of `http.timeoutMs` has four attempts of patience: without an answer for so long, something is wrong. */
export function patienceMs(timeoutMs: number): number {
  return Math.min(PATIENT_ATTEMPTS * timeoutMs, LONGEST_FETCH_MS);
}

/**
 * How long a poll may be silent, after so many silent polls in a row. A service needs about the same time for each
 * whole body, but more under load: so the limit is generous, and doubles.
 */
export function silenceLimitMs(timeoutMs: number, fullBodyMs: number, silences: number): number {
  const expected =
    fullBodyMs > 0 ? Math.max(patienceMs(timeoutMs), BODIES_OF_PATIENCE * fullBodyMs) : UNMEASURED_SILENCE_MS;
  return Math.min(expected * 2 ** silences, LONGEST_FETCH_MS);
}
