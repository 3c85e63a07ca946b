import type { Clock } from './clock.js';
import { untilAborted } from './until-aborted.js';

/** Waits, until the signal ends that at the latest. */
export async function passed(ms: number, signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  let cancel: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await untilAborted(waiting, signal, undefined);
  cancel();
}
