import type { Clock } from '../time/clock.js';
import { timeLimit } from '../time/in-time.js';
import { ENDED, type Failure } from '../model/failure.js';
import type { ConnectionSettings } from '../options/settings.js';
import { timeoutFailure } from './network-failure.js';
import type { Outcome, ServiceRequest } from './reply.js';
import { untilAborted } from '../time/until-aborted.js';

/** `heard` is called for each part of the response. Never rejects. */
export type ExchangeOnce = (
  request: ServiceRequest,
  signal: AbortSignal,
  heard: () => void,
) => Promise<Outcome>;

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
  const until = clock.now() + timeoutMs;
  let heardAt = clock.now();
  let cancelLimit: () => void = () => undefined;
  const timeUp = new Promise<Failure>((resolve) => {
    const dueAt = () => Math.min(until, heardAt + silentMs);
    const late = (isBlocked: boolean) => {
      const withinMs = dueAt() < until ? silentMs : timeoutMs;
      resolve(timeoutFailure(url, withinMs, download ? undefined : 'http.timeoutMs', isBlocked));
    };
    const kind = download ? 'limit' : 'awaited';
    const leftMs = () => dueAt() - clock.now();
    cancelLimit = timeLimit(leftMs(), clock, late, { leftMs, kind, inSlices: true });
  });
  const heard = () => {
    heardAt = clock.now();
  };
  const ending = new AbortController();
  const exchanged = exchange(request, ending.signal, heard);
  // The outcome comes from here, not from the abort: a dispatcher that never settles must not keep callers waiting.
  const outcome = await untilAborted(Promise.race([exchanged, timeUp]), signal, ENDED);
  cancelLimit();
  if (outcome.kind !== 'reply') ending.abort();
  return outcome;
}
