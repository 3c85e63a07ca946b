import { type Clock, oneTimer } from '../../base/time/clock.js';
import type { Diagnostics, Log } from '../../model/events/reporter.js';

/** When no question was shed for so long, the overload has ended. */
const QUIET_MS = 5_000;
/** Questions that were sent while the first shed question waited belong to the overload. */
const WAITED_MS = 1_000;

interface Overload {
  readonly date: number;
  readonly since: number;
  shed: number;
  /** Questions sent until the last one was shed: later ones do not belong to the overload. */
  sent: number;
  lastAt: number;
}

/**
 * Warns once when questions begin to be shed. Warns again, with their share, when that has ended. The result says since
 * when questions are shed, in milliseconds since the epoch; `undefined` while none are.
 */
export function logOverload(
  { listen }: Pick<Diagnostics, 'listen'>,
  logger: Log<'warn'>,
  clock: Clock,
): () => number | undefined {
  const quiet = oneTimer(clock);
  let overload: Overload | undefined;
  /** Questions sent since `countedSince`: the beginning of the overload, or a moment ago. */
  let sent = 0;
  /** The same in the moment before that one. */
  let sentBefore = 0;
  let countedSince = clock.now();

  const count = (items: number) => {
    const now = clock.now();
    const countedMs = now - countedSince;
    if (overload === undefined && countedMs >= WAITED_MS) {
      sentBefore = countedMs < 2 * WAITED_MS ? sent : 0;
      [sent, countedSince] = [0, now];
    }
    sent += items;
  };
  const begin = (reason: string): Overload => {
    logger.warn(`Flipt does not keep up; some calls get known answers or defaults: ${reason}`);
    count(0);
    sent += sentBefore;
    return { date: clock.date(), since: clock.now(), shed: 0, sent, lastAt: clock.now() };
  };
  const end = () => {
    if (overload !== undefined) logger.warn(summary(overload));
    overload = undefined;
  };

  const ends = [
    listen('batch-sent', ({ items }) => {
      count(items);
    }),
    listen('shed', ({ questions, failure }) => {
      overload ??= begin(failure.message);
      overload.shed += questions;
      overload.sent = sent;
      overload.lastAt = clock.now();
      quiet.set(QUIET_MS, end);
    }),
    listen('closed', () => {
      for (const stop of ends) stop();
      quiet.stop();
      overload = undefined;
    }),
  ];
  return () => overload?.date;
}

function summary({ since, lastAt, shed, sent }: Overload): string {
  const share = Math.ceil((100 * shed) / (shed + sent));
  const seconds = Math.max(1, Math.round((lastAt - since) / 1_000));
  return `Flipt keeps up again; in ${seconds} s, ${share} % of the questions were shed (${shed} of ${shed + sent})`;
}
