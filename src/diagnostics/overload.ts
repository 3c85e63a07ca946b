import type { Clock } from '../clock.js';
import type { Diagnostics } from './diagnostics.js';

/** So long without a question that is shed: the overload has ended. */
const QUIET_MS = 5_000;

interface Overload {
  readonly since: number;
  readonly shed: number;
  /** Up to the last question that was shed: what comes after it is no part of the overload. */
  readonly sent: number;
  readonly lastAt: number;
}

/** Warns once when questions begin to be shed, and once when that has ended, with the share that was shed. */
export function overloadWatch(
  { listen }: Diagnostics,
  warn: (message: string) => void,
  clock: Clock,
): { readonly close: () => void } {
  let overload: Overload | undefined;
  let sent = 0;
  let stopCounting: () => void = () => undefined;
  let cancelEnd: () => void = () => undefined;

  const begin = (reason: string): Overload => {
    warn(`Flipt does not keep up; some calls get known answers or defaults: ${reason}`);
    sent = 0;
    stopCounting = listen('batch-sent', ({ items }) => {
      sent += items;
    });
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
    stopCounting();
    warn(summary(overload));
    overload = undefined;
  };

  const stopListening = listen('shed', ({ questions, failure }) => {
    const { since, shed } = overload ?? begin(failure.message);
    overload = { since, shed: shed + questions, sent, lastAt: clock.now() };
  });

  return {
    close() {
      stopListening();
      stopCounting();
      cancelEnd();
      overload = undefined;
    },
  };
}

function summary({ since, lastAt, shed, sent }: Overload): string {
  const share = Math.ceil((100 * shed) / (shed + sent));
  const seconds = Math.max(1, Math.round((lastAt - since) / 1_000));
  return `Flipt keeps up again; in ${seconds} s, ${share} % of the questions were shed (${shed} of ${shed + sent})`;
}
