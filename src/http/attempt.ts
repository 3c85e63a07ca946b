import type { Clock } from '../time/clock.js';
import type { Failure } from '../model/failure.js';
import type { ConnectionSettings } from '../options/settings.js';
import { timeoutFailure } from './network-failure.js';
import type { Outcome, ServiceRequest } from './reply.js';
import { ENDED, untilAborted } from './until-aborted.js';

/** `heard` is called for each part of the response. Never rejects. */
export type ExchangeOnce = (
  request: ServiceRequest,
  signal: AbortSignal,
  heard: () => void,
) => Promise<Outcome>;

/** If a timer fires so late, the event loop was blocked. */
const BLOCKED_MS = 100;

/**
 * One exchange within its time limits, and until its caller's signal ends it. An exchange that is ended loses its
 * connection. Never rejects.
 */
export async function attempt(
  exchange: ExchangeOnce,
  request: ServiceRequest,
  { url, http }: Pick<ConnectionSettings, 'url' | 'http'>,
  clock: Clock,
): Promise<Outcome> {
  const { download, signal } = request;
  if (signal?.aborted === true) return ENDED;
  const { timeoutMs } = download ?? http;
  const silentMs = download?.silentMs ?? Infinity;
  const background = download && clock.hasBackground !== false ? 'background' : undefined;
  const until = clock.now() + timeoutMs;
  let heardAt = clock.now();
  let hasEnded = false;
  let cancelTimer: () => void = () => undefined;
  const timeUp = new Promise<Failure>((resolve) => {
    const dueAt = () => Math.min(until, heardAt + silentMs);
    const wait = () => {
      const due = dueAt();
      const late = () => {
        if (hasEnded) return;
        if (clock.now() < dueAt()) wait();
        else {
          const withinMs = due < until ? silentMs : timeoutMs;
          const isBlocked = clock.now() - due > BLOCKED_MS;
          resolve(timeoutFailure(url, withinMs, download ? undefined : 'http.timeoutMs', isBlocked));
        }
      };
      // After a blocked event loop, the response may already wait in the socket. The end of the turn lets it arrive
      // before the time-out counts.
      const atEndOfTurn = () => {
        clock.endOfTurn(late);
      };
      cancelTimer = clock.after(due - clock.now(), atEndOfTurn, background);
    };
    wait();
  });
  const heard = () => {
    heardAt = clock.now();
  };
  const ending = new AbortController();
  const exchanged = exchange(request, ending.signal, heard);
  // The outcome comes from here, not from the abort: a dispatcher that never settles must not keep callers waiting.
  const outcome = await untilAborted(Promise.race([exchanged, timeUp]), signal);
  hasEnded = true;
  cancelTimer();
  if (outcome.kind !== 'reply') ending.abort();
  return outcome;
}
