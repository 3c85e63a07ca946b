import type { Clock } from '../clock.js';
import type { Failure } from '../model/failure.js';
import { timeoutFailure } from './network-failure.js';
import { ENDED, type Reply, type ServiceRequest } from './reply.js';

/** `heard` is called for each part of the response. Never rejects. */
export type ExchangeOnce = (
  request: ServiceRequest,
  signal: AbortSignal,
  heard: () => void,
) => Promise<Reply | Failure>;

export interface AttemptSettings {
  readonly url: string;
  readonly http: { readonly timeoutMs: number };
}

/** If a timer fires so late, the event loop was blocked. */
const BLOCKED_MS = 100;

/**
 * One exchange within its time limits, and until its caller's signal ends it. An exchange that is ended loses its
 * connection. Never rejects.
 */
export function attempt(
  exchange: ExchangeOnce,
  request: ServiceRequest,
  { url, http }: AttemptSettings,
  clock: Clock,
): Promise<Reply | Failure> {
  const { download } = request;
  const { timeoutMs } = download ?? http;
  const silentMs = download?.silentMs ?? Infinity;
  return new Promise((resolve) => {
    const ending = new AbortController();
    const until = clock.now() + timeoutMs;
    let heardAt = clock.now();
    let cancelTimer: () => void = () => undefined;
    let hasEnded = false;
    const end = (outcome: Reply | Failure) => {
      hasEnded = true;
      cancelTimer();
      request.signal?.removeEventListener('abort', giveUp);
      resolve(outcome);
    };
    // The outcome comes from here, not from the abort: a dispatcher that never settles must not keep callers waiting.
    const endEarly = (outcome: Failure) => {
      end(outcome);
      ending.abort();
    };
    const giveUp = () => {
      endEarly(ENDED);
    };
    const dueAt = () => Math.min(until, heardAt + silentMs);
    const awaitTimeUp = () => {
      const due = dueAt();
      const late = () => {
        if (hasEnded) return;
        if (clock.now() < dueAt()) awaitTimeUp();
        else {
          const withinMs = due < until ? silentMs : timeoutMs;
          const isBlocked = clock.now() - due > BLOCKED_MS;
          endEarly(timeoutFailure(url, withinMs, download ? undefined : 'http.timeoutMs', isBlocked));
        }
      };
      // After a blocked event loop, the response may already wait in the socket. The end of the turn lets it arrive
      // before the time-out counts.
      const timeUp = () => {
        clock.endOfTurn(late);
      };
      cancelTimer = clock.after(due - clock.now(), timeUp, download && 'background');
    };

    if (request.signal?.aborted === true) {
      giveUp();
      return;
    }
    awaitTimeUp();
    request.signal?.addEventListener('abort', giveUp);
    const heard = () => {
      heardAt = clock.now();
    };
    void exchange(request, ending.signal, heard).then(end);
  });
}

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
