import type { Clock } from '../clock.js';
import type { Diagnostics } from './diagnostics.js';

/** When no question was shed for so long, the overload has ended. */
const QUIET_MS = 5_000;

interface Overload {
  readonly since: number;
  readonly shed: number;
  /** Questions sent until the last one was shed: later ones do not belong to the overload. */
  readonly sent: number;
  readonly lastAt: number;
}

export interface OverloadWatch {
  /** Since when questions are shed, in the clock's milliseconds; `undefined` while none are. */
  readonly since: () => number | undefined;
  readonly close: () => void;
}

/** Questions sent in the second that began at `since` (`count`), and in the second before it (`before`). */
interface Recent {
  readonly since: number;
  readonly before: number;
  readonly count: number;
}

/** Warns once when questions begin to be shed. Warns again, with their share, when that has ended. */
export function overloadWatch(
  { listen }: Diagnostics,
  warn: (message: string) => void,
  clock: Clock,
): OverloadWatch {
  let overload: Overload | undefined;
  let recent: Recent = { since: clock.now(), before: 0, count: 0 };
  let sent = 0;
  let cancelEnd: () => void = () => undefined;

  const begin = (reason: string): Overload => {
    warn(`Flipt does not keep up; some calls get known answers or defaults: ${reason}`);
    // Questions that were sent while the first shed question waited belong to the overload.
    recent = withSent(recent, 0, clock.now());
    sent = recent.before + recent.count;
    endAfter(QUIET_MS);
    return { since: clock.now(), shed: 0, sent: 0, lastAt: clock.now() };
  };
  const endAfter = (ms: number) => {
    cancelEnd = clock.after(ms, endIfQuiet, 'background');
  };
  const endIfQuiet = () => {
    if (overload === undefined) return;
    const quietMs = clock.now() - overload.lastAt;
    if (quietMs < QUIET_MS) {
      endAfter(QUIET_MS - quietMs);
      return;
    }
    warn(summary(overload));
    overload = undefined;
  };

  const stopCounting = listen('batch-sent', ({ items }) => {
    sent += items;
    recent = withSent(recent, items, clock.now());
  });
  const stopListening = listen('shed', ({ questions, failure }) => {
    const { since, shed } = overload ?? begin(failure.message);
    overload = { since, shed: shed + questions, sent, lastAt: clock.now() };
  });

  return {
    since: () => overload?.since,
    close() {
      stopListening();
      stopCounting();
      cancelEnd();
      overload = undefined;
    },
  };
}

function withSent({ since, before, count }: Recent, items: number, now: number): Recent {
  const seconds = Math.floor((now - since) / 1_000);
  if (seconds === 0) return { since, before, count: count + items };
  return { since: since + seconds * 1_000, before: seconds === 1 ? count : 0, count: items };
}

function summary({ since, lastAt, shed, sent }: Overload): string {
  const share = Math.ceil((100 * shed) / (shed + sent));
  const seconds = Math.max(1, Math.round((lastAt - since) / 1_000));
  return `Flipt keeps up again; in ${seconds} s, ${share} % of the questions were shed (${shed} of ${shed + sent})`;
}
