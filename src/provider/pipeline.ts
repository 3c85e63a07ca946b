import { setMaxListeners } from 'node:events';
import { isolating } from '../batch/isolate.js';
import { batched } from '../batch/batched.js';
import { questionKeys } from '../cache/key.js';
import { cached } from '../cache/cached.js';
import { overloadWatch } from '../diagnostics/overload.js';
import { pinning } from '../request/view-answers.js';
import type { Clock } from '../clock.js';
import { availability } from '../availability/availability.js';
import { healthCheck } from '../availability/health-check.js';
import { openDiagnostics } from '../diagnostics/diagnostics.js';
import { logHealth } from '../diagnostics/health-log.js';
import { watchState, type OnStateChange } from '../diagnostics/provider-state.js';
import { questionOf, type Subject } from '../model/question.js';
import type { AskAtOnce } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Resolution } from '../model/resolution.js';
import { authorized } from '../http/auth/authorized.js';
import { credentialsOf } from '../http/auth/credentials.js';
import { openTransport } from '../http/transport.js';
import { bodySizes, remote } from '../remote/remote.js';
import { retried } from '../http/retried.js';
import { retryBudget } from '../http/retry.js';
import type { ProviderSettings } from '../options/settings.js';
import type { RequestView } from '../request/view.js';

/** One life of a provider, from start to close. */
export interface Running {
  readonly tell: (
    flag: string,
    subject: Subject,
    view: RequestView | undefined,
  ) => Resolution | Promise<Resolution>;
  /** Tries to reach the service; if that fails, goes on in the background. */
  readonly start: () => Promise<Failure | undefined>;
  readonly forget: (flags?: readonly string[]) => void;
  readonly close: () => Promise<void>;
}

export const CLOSED: Failure = { kind: 'closed', message: 'the Flipt provider is closed' };

/** The outermost wiring: the only place that knows which layers there are. */
export function run(
  settings: ProviderSettings,
  changed: OnStateChange,
  clock: Clock,
  random: () => number,
): Running {
  const { namespace, environment, reference, logger, http, deadlineMs } = settings;
  const closing = new AbortController();
  // As many requests as there are at once listen to it.
  setMaxListeners(0, closing.signal);

  const diagnostics = openDiagnostics();
  logHealth(diagnostics, logger);
  const transport = openTransport(settings, clock);
  const send = authorized(transport.send, credentialsOf(settings.auth, clock, http.timeoutMs));
  const check = healthCheck(remote(send, settings, closing.signal), namespace);
  const service = availability({ check, breaker: settings.breaker, reporter: diagnostics }, clock, random);
  const guarded = service.throughCircuit(send);
  const budget = retryBudget();
  const retrying = (extra: boolean): AskAtOnce => {
    const retrySettings = { retries: http.retries, withinMs: deadlineMs, extra };
    const retriedSend = retried(guarded, retrySettings, budget, clock, random);
    return service.observed(remote(retriedSend, settings, closing.signal));
  };
  const isWell = () => service.refusal() === undefined;
  const isolated = isolating(
    retrying(false),
    { isWell, failed: service.serviceFailed, askExtra: retrying(true) },
    clock,
    diagnostics,
  );
  const warn = (message: string) => {
    logger.warn(message);
  };
  const overload = overloadWatch(diagnostics, warn, clock);
  const batch = batched(isolated, settings.batch, bodySizes(reference), clock, diagnostics);
  const answers = cached(batch.ask, { ...settings, refusal: service.refusal, warn }, clock);

  watchState(diagnostics, answers.knowsAnything, changed);

  const keyOf = questionKeys(namespace, environment, reference);
  const pinsOf = pinning(clock);

  const look = (key: string, flag: string, subject: Subject): Resolution | Promise<Resolution> =>
    answers.fresh(key) ?? answers.ask(key, questionOf(namespace, flag, subject));

  return {
    tell(flag, subject, view) {
      const key = keyOf(flag, subject);
      const pins = view && pinsOf(view);
      if (pins === undefined) return look(key, flag, subject);
      const pinned = pins.get(key);
      if (pinned !== undefined) return pinned;
      const told = look(key, flag, subject);
      return told instanceof Promise ? told.then((later) => pins.pin(key, later)) : pins.pin(key, told);
    },
    start: () => service.start(settings.initTimeoutMs),
    forget: answers.forget,
    async close() {
      closing.abort();
      service.close(CLOSED);
      overload.close();
      batch.close(CLOSED);
      answers.forget();
      await transport.close();
    },
  };
}
