import type { Clock } from './clock.js';

/** Settles as the promise does, or with `ended` when the signal is aborted. */
export function untilAborted<T, Ended>(
  coming: Promise<T>,
  signal: AbortSignal | undefined,
  ended: Ended,
): Promise<T | Ended> {
  if (signal === undefined) return coming;
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      resolve(ended);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    void coming.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', giveUp);
    });
  });
}

/** Waits, until the signal ends that at the latest. */
export async function passed(ms: number, signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  let cancel: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await untilAborted(waiting, signal, undefined);
  cancel();
}
