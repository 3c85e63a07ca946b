import type { Clock } from '../../time/clock.js';
import { orLate } from '../../time/in-time.js';
import type { Asker } from '../fetch-snapshot.js';

/** A request under way. */
interface UnderWay {
  readonly since: number;
  /** Whether another one was under way when it began. */
  readonly isBeside: boolean;
  readonly ended: Promise<void>;
}

/**
 * Sends one request after another. At most one is sent beside another, if that is silent for too long. `request` never
 * rejects. After `patienceMs`, nobody waits any longer to send the next one.
 */
export function requestsInTurn(request: (asker?: Asker) => Promise<void>, patienceMs: number, clock: Clock) {
  /** The request that began last. */
  let newest: UnderWay | undefined;
  let next: Promise<void> | undefined;
  /** Why the next request is sent. A user's request keeps its reason when it joins one for the stream. */
  let nextAsker: Asker | undefined;

  const begin = (asker?: Asker, isBeside = false): Promise<void> => {
    const ended = request(asker).finally(() => {
      if (newest?.ended === ended) newest = undefined;
    });
    newest = { since: clock.now(), isBeside, ended };
    return ended;
  };
  const join = (asker?: Asker) => newest?.ended ?? begin(asker);
  const after = async ({ since, isBeside, ended }: UnderWay): Promise<void> => {
    const patientMs = Math.max(0, since + patienceMs - clock.now());
    const end = await (isBeside ? ended : orLate(ended, patientMs, clock, 'background'));
    const asker = nextAsker;
    next = nextAsker = undefined;
    await (end === 'late' ? begin(asker, true) : join(asker));
  };

  return {
    /** Sends a request, or joins the one under way. */
    join,
    /** Sends a request that begins after this call. Concurrent callers share one. */
    sendNext(asker?: Asker): Promise<void> {
      if (newest === undefined) return begin(asker);
      if (nextAsker === undefined || asker === 'user') nextAsker = asker;
      next ??= after(newest);
      return next;
    },
  };
}
