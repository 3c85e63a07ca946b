import type { Failure } from '../model/failure.js';

/** The failure of a request that its caller's signal has ended. */
export const ENDED: Failure = { kind: 'closed', message: 'the request was ended before its answer came' };

/** Settles as the promise does, or with ENDED when the signal is aborted. */
export function untilAborted<T>(coming: Promise<T>, signal: AbortSignal | undefined): Promise<T | Failure> {
  if (signal === undefined) return coming;
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      resolve(ENDED);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    void coming.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', giveUp);
    });
  });
}
