import { setMaxListeners } from 'node:events';
import { isolating } from '../batch/isolate.js';
import { batched } from '../batch/batched.js';
import { questionKeys } from '../cache/key.js';
import { cached } from '../cache/cached.js';
import { openDiagnostics } from '../diagnostics/diagnostics.js';
import { overloadWatch } from '../diagnostics/overload.js';
import { pinning } from '../request/view-answers.js';
import type { Clock } from '../clock.js';
import { providerHealth, type Condition } from '../availability/health.js';
import { questionOf, type Subject } from '../model/question.js';
import type { AskAtOnce } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Resolution } from '../model/resolution.js';
import { recovery } from '../availability/recovery.js';
import { authorized } from '../http/auth/authorized.js';
import { credentialsOf } from '../http/auth/credentials.js';
import { breakerGuard } from '../availability/circuit-breaker.js';
import { openTransport } from '../http/transport.js';
import { healthCheck, reach, type Reached } from '../availability/reach.js';
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
  readonly start: () => Promise<Reached>;
  readonly forget: (flags?: readonly string[]) => void;
  readonly close: () => Promise<void>;
}

/** Resolution when the provider's condition changes after its start. */
export type OnChange = (condition: Condition, message: string) => void;

export const CLOSED: Failure = { kind: 'closed', message: 'the Flipt provider is closed' };

/** The outermost wiring: the only place that knows which layers there are. */
export function run(
  settings: ProviderSettings,
  changed: OnChange,
  clock: Clock,
  random: () => number,
): Running {
  const { namespace, environment, reference, logger, http, deadlineMs } = settings;
  const diagnostics = openDiagnostics();
  const closing = new AbortController();
  // As many requests as there are at once listen to it.
  setMaxListeners(0, closing.signal);
  let cancelStart: ((failure: Failure) => void) | undefined;

  const health = providerHealth({
    knowsAnything: () => answers.knowsAnything(),
    changed: (condition, message) => {
      if (!closing.signal.aborted && cancelStart === undefined) changed(condition, message);
    },
    logger,
  });
  const transport = openTransport(settings, clock);
  const send = authorized(transport.send, credentialsOf(settings.auth, clock, http.timeoutMs));
  const check = healthCheck(remote(send, settings, closing.signal), namespace);
  const { observed, ...recovering } = recovery(
    {
      health,
      check,
      reached: () => {
        guard.reached();
      },
    },
    clock,
    random,
  );
  const guard = breakerGuard(settings.breaker, clock, {
    probe: healthCheck(observed(remote(send, settings, closing.signal)), namespace),
    opened: (failure) => {
      health.raise('failing', failure);
    },
    closed: () => {
      health.clear('failing');
    },
  });
  const guarded = guard.guarded(send);
  const budget = retryBudget();
  const retrying = (extra: boolean): AskAtOnce => {
    const retrySettings = { retries: http.retries, withinMs: deadlineMs, extra };
    return observed(remote(retried(guarded, retrySettings, budget, clock, random), settings, closing.signal));
  };
  const isWell = () => guard.refusal() === undefined;
  const isolated = isolating(
    retrying(false),
    { isWell, failed: guard.fail, askExtra: retrying(true) },
    clock,
    diagnostics,
  );
  const warn = (message: string) => {
    logger.warn(message);
  };
  const overload = overloadWatch(diagnostics, warn, clock);
  const batch = batched(isolated, settings.batch, bodySizes(reference), clock, diagnostics);
  const answers = cached(batch.ask, { ...settings, refusal: guard.refusal, warn }, clock);

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
    async start() {
      const { reached, cancel } = reach(check, settings.initTimeoutMs, clock);
      cancelStart = cancel;
      const failure = await reached;
      if (closing.signal.aborted) return CLOSED;
      if (failure === undefined) {
        guard.reached();
        recovering.answered();
      } else recovering.startFailed(failure);
      // Only now: how the start went is told by its outcome, and by no event besides.
      cancelStart = undefined;
      return failure;
    },
    forget: answers.forget,
    async close() {
      closing.abort();
      recovering.close();
      guard.close();
      overload.close();
      cancelStart?.(CLOSED);
      batch.close(CLOSED);
      answers.forget();
      await transport.close();
    },
  };
}
