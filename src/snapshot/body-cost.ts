import type { Clock } from '../time/clock.js';

/**
 * What a whole snapshot costs the service. One duration proves little: it contains pauses of the service, queues behind
 * a fleet that starts, and our own blocked event loop. So the smaller of the last two bodies counts, one alone only for
 * as much as its size explains, and a cost that makes polls rarer is measured again. A 304 proves nothing.
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
/** v1 with SQLite needs 2.3 to 2.9 ms for a flag. v2 serves snapshots from memory. */
const FLAG_MS_OF_V1 = 3;
/** With the spread, a wrong cost is corrected within two minutes. */
const MEASURE_AFTER_MS = 75_000;
/** The bodies of a fleet that started at once must not queue again. */
const SPREAD = 0.4;
/** A cost that has stood for some time is real more often, so it is measured less and less often. */
const STOOD_SHARE = 2;
/** No cost makes polls rarer for longer than this without a body that proves it again. */
const PROVED_FOR_MS = 3_600_000;

interface Bodies {
  readonly lastMs: number;
  /** The smaller of the last two. */
  readonly smallerMs: number;
  /** As much of that as is proved: all of it by two bodies. */
  readonly provedMs: number;
  readonly at: number;
  /** Since when the cost makes polls rarer; `undefined` if it does not. */
  readonly standsSince: number | undefined;
}

/** `flags`: how many there are in the body. */
export interface MeasuredBody {
  readonly ms: number;
  readonly flags: number;
  readonly isV1: boolean;
}

/** Measures the cost for a watch that polls every `pollMs`. Random numbers spread the measurements of a fleet. */
export function openBodyCost(pollMs: number, clock: Pick<Clock, 'now'>, random: () => number) {
  let bodies: Bodies | undefined;
  let measureAt = Infinity;
  /** What the instance that polls for all has written, and since when. */
  let ofHolder: { readonly ms: number; readonly since: number } | undefined;

  const isLong = (ms: number) => BODY_SHARE * ms > pollMs;
  const inForce = () => {
    if (bodies === undefined || !isLong(bodies.smallerMs)) return bodies;
    return clock.now() - bodies.at < PROVED_FOR_MS ? bodies : undefined;
  };
  const postpone = (ms: number) => {
    measureAt = clock.now() + ms * (1 - SPREAD + 2 * SPREAD * random());
  };

  return {
    /** The service has just served a whole body. */
    measured({ ms, flags, isV1 }: MeasuredBody) {
      const at = clock.now();
      const before = inForce();
      const explainedMs = isV1 ? FLAG_MS_OF_V1 * flags : 0;
      const smallerMs = Math.min(ms, before?.lastMs ?? Infinity);
      const provedMs = before === undefined && isLong(ms) ? Math.min(ms, explainedMs) : smallerMs;
      const standsSince = isLong(provedMs) ? (before?.standsSince ?? at) : undefined;
      bodies = { lastMs: ms, smallerMs, provedMs, at, standsSince };
      ofHolder = undefined;
      measureAt = Infinity;
      if (!isLong(smallerMs)) return;
      // Where the size explains the time, the measurement is expensive, too.
      const priceMs = BODY_SHARE * Math.min(smallerMs, explainedMs);
      postpone(Math.max(MEASURE_AFTER_MS, priceMs, STOOD_SHARE * (at - (standsSince ?? at))));
    },
    /** Whether to fetch a whole body now. Then it is not due again soon, even if the request fails. */
    takeMeasurement(): boolean {
      const isDue = inForce() !== undefined && clock.now() >= measureAt;
      if (isDue) postpone(MEASURE_AFTER_MS);
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
