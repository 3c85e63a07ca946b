import { type Clock, oneTimer } from '../../base/time/clock.js';
import type { Diagnostics, Log } from '../../model/events/reporter.js';

/** The overload has ended when no question has been shed for this many milliseconds. */
const QUIET_MS = 5_000;
/**
 * Questions that were sent up to this many milliseconds before the first shed question count as part of the overload,
 * because the first shed question was waiting at that time.
 */
const WAITED_MS = 1_000;

interface Overload {
  readonly date: number;
  readonly since: number;
  shed: number;
  /** How many questions had been sent when the last one was shed. Later questions do not belong to the overload. */
  sent: number;
  lastAt: number;
}

/**
 * Warns once when the provider begins to shed questions. Warns again when the overload has ended, and says which share
 * of the questions was shed. The returned function gives the time since when questions are shed, in milliseconds since
 * the epoch, or `undefined` while no questions are shed.
 */
export function logOverload(
  { listen }: Pick<Diagnostics, 'listen'>,
  logger: Log<'warn'>,
  clock: Clock,
): () => number | undefined {
  const quiet = oneTimer(clock);
  let overload: Overload | undefined;
  /** How many questions have been sent since `countedSince`. */
  let sent = 0;
  /** How many questions were sent in the second before `countedSince`. */
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
  return `Flipt keeps up again; in ${seconds} s, ${share} % of the questions were not sent (${shed} of ${shed + sent})`;
}
