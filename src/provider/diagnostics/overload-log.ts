import { type Clock, oneTimer } from '../../base/time/clock.js';
import type { Diagnostics, Log } from '../../model/events/reporter.js';

/** An overload has ended when the provider has shed no question for this many milliseconds. */
const QUIET_MS = 5_000;
/**
 * The log compares the shed questions with the questions that were sent. `logOverload` also counts the questions that
 * the provider sent in the last seconds before the overload, at most three times this many milliseconds.
 */
const WAITED_MS = 1_000;

interface Overload {
  readonly date: number;
  readonly since: number;
  shed: number;
  /** The number of questions that the provider had sent when it shed the last question of the overload. */
  sent: number;
  lastAt: number;
}

/**
 * Logs a warning when the provider begins to shed questions, which means that it does not send them to Flipt. When the
 * overload has ended, logs a second warning with the share of questions that were shed. Returns a function that returns
 * the time when the present overload began, in milliseconds since the epoch, or `undefined` if there is no overload.
 */
export function logOverload(
  { listen }: Pick<Diagnostics, 'listen'>,
  logger: Log<'warn'>,
  clock: Clock,
): () => number | undefined {
  const quiet = oneTimer(clock);
  let overload: Overload | undefined;
  /** The number of questions that were sent since `countedSince`. */
  let sent = 0;
  /** The number of questions that were sent in the period of one to two seconds before `countedSince`. */
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
    logger.warn(`Flipt does not keep up; some calls get last known values or their defaults: ${reason}`);
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
    listen('shed', ({ questions, reason }) => {
      overload ??= begin(WHY[reason]);
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

const WHY = {
  late: 'Flipt answers batch.maxConcurrent requests at once too slowly for deadlineMs',
  'queue-full': 'batch.maxWaiting questions wait already',
};

function summary({ since, lastAt, shed, sent }: Overload): string {
  const share = Math.ceil((100 * shed) / (shed + sent));
  const seconds = Math.max(1, Math.round((lastAt - since) / 1_000));
  return `Flipt keeps up again; in ${seconds} s, the provider did not send ${share} % of the questions (${shed} of ${shed + sent})`;
}
