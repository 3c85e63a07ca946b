import { availability, type Availability } from '../availability/availability.js';
import { healthCheck } from '../availability/check-request.js';
import { batched, type Batched } from '../batch/batched.js';
import { isolating } from '../batch/isolate.js';
import { oneByOne } from '../batch/one-by-one.js';
import { withoutBackground, type Clock } from '../clock.js';
import type { Diagnostics } from '../diagnostics/diagnostics.js';
import { authorized, withCredentials } from '../http/auth/authorized.js';
import { openCredentials } from '../http/auth/open-credentials.js';
import type { Send } from '../http/reply.js';
import { retried } from '../http/retries/retried.js';
import { retryBudget } from '../http/retries/retry-budget.js';
import { openTransport } from '../http/transport.js';
import type { AskAtOnce } from '../model/answer.js';
import type { ProviderSettings } from '../options/settings.js';
import { itemTexts } from '../remote/batch-wire.js';
import { bodySizes, remote } from '../remote/remote.js';

/** The layers that ask the service, from a question to the wire. */
export interface Asking {
  readonly batch: Batched;
  readonly service: Availability;
  /** Bypasses the circuit breaker: for polls in the background. */
  readonly send: Send;
  /** How many requests are under way. */
  readonly underWay: () => number;
  readonly close: () => Promise<void>;
}

/** The clock of all layers but the transport, whose timers end with their requests. */
export function clockOf({ watch }: Pick<ProviderSettings, 'watch'>, clock: Clock): Clock {
  return watch?.background === false ? withoutBackground(clock) : clock;
}

/** `signal` ends every request. */
export function openAsking(
  settings: ProviderSettings,
  signal: AbortSignal,
  diagnostics: Diagnostics,
  time: Clock,
  random: () => number,
): Asking {
  const { namespace, reference, http, breaker, deadlineMs } = settings;
  const transport = openTransport(settings, time, diagnostics);
  const clock = clockOf(settings, time);
  const loggingIn = { send: transport.send, ending: signal };
  const credentials = openCredentials(settings, loggingIn, clock, random, diagnostics);
  const send = authorized(transport.send, credentials);
  const check = healthCheck(remote(send, settings, signal), namespace);
  const service = availability(
    { check, credentialsVersion: credentials.version, breaker, reporter: diagnostics },
    clock,
    random,
  );
  const throughCircuit = service.throughCircuit(withCredentials(transport.send, credentials));
  const textOf = itemTexts();
  const budget = retryBudget();
  const retrying = (extra: boolean): AskAtOnce => {
    const retrySettings = { retries: http.retries, withinMs: deadlineMs, extra };
    const retriedSend = retried(throughCircuit, retrySettings, budget, clock, random, diagnostics);
    return service.observed(remote(retriedSend, settings, signal, textOf));
  };
  const sizes = bodySizes(reference, textOf);
  const layers = { service, send, underWay: transport.underWay, close: transport.close };
  if (clock.hasBackground === false) {
    return { ...layers, batch: oneByOne(retrying(false), settings.batch, sizes, diagnostics) };
  }
  const isWell = () => service.refusal() === undefined;
  const isolated = isolating(
    retrying(false),
    { isWell, failed: service.serviceFailed, askExtra: retrying(true) },
    clock,
    diagnostics,
  );
  return { ...layers, batch: batched(isolated, settings.batch, sizes, clock, diagnostics) };
}
