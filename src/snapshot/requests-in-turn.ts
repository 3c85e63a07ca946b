import type { Clock } from '../clock.js';
import type { Asker } from './fetch.js';

/** Sends one request after another. At most one is sent beside another, if that is silent for too long. */
export interface RequestsInTurn {
  /** Sends a request, or joins the one under way. */
  readonly join: (asker?: Asker) => Promise<void>;
  /** Sends a request that begins after this call. Concurrent callers share one. */
  readonly follow: (asker?: Asker) => Promise<void>;
}

/** A request under way. */
interface UnderWay {
  readonly since: number;
  /** Whether another one was under way when it began. */
  readonly isBeside: boolean;
  readonly ended: Promise<void>;
}

/** `request` never rejects. After `patienceMs`, nobody waits any longer to send the next one. */
export function requestsInTurn(
  request: (asker?: Asker) => Promise<void>,
  patienceMs: number,
  clock: Clock,
): RequestsInTurn {
  /** The request that began last. */
  let newest: UnderWay | undefined;
  let following: Promise<void> | undefined;
  /** Why the following request is sent. A user's request keeps its reason when it joins one for the stream. */
  let followingAsker: Asker | undefined;

  const begin = (asker?: Asker, isBeside = false): Promise<void> => {
    const ended = request(asker).finally(() => {
      if (newest?.ended === ended) newest = undefined;
    });
    newest = { since: clock.now(), isBeside, ended };
    return ended;
  };
  const join = (asker?: Asker) => newest?.ended ?? begin(asker);
  const after = async ({ since, isBeside, ended }: UnderWay): Promise<void> => {
    const patientMs = isBeside ? Infinity : since + patienceMs - clock.now();
    const hasEnded = await endsWithin(ended, patientMs, clock);
    const asker = followingAsker;
    following = followingAsker = undefined;
    await (hasEnded ? join(asker) : begin(asker, true));
  };

  return {
    join,
    follow(asker) {
      if (newest === undefined) return begin(asker);
      if (followingAsker === undefined || asker === 'user') followingAsker = asker;
      following ??= after(newest);
      return following;
    },
  };
}

/** `false` if it has not ended when the time is up. */
function endsWithin(ended: Promise<void>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const late = () => {
      resolve(false);
    };
    const cancel = ms === Infinity ? () => undefined : clock.after(Math.max(0, ms), late, 'background');
    void ended.then(() => {
      cancel();
      resolve(true);
    });
  });
}
