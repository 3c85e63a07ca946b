import { setMaxListeners } from 'node:events';
import { isolating } from '../batch/isolate.js';
import { batched } from '../batch/batched.js';
import { questionKeys } from '../cache/key.js';
import { knownKeys, type GivenContext } from '../cache/known-keys.js';
import { cached } from '../cache/cached.js';
import { overloadWatch } from '../diagnostics/overload.js';
import { pinning, type Pins } from '../request/view-answers.js';
import { outsideRequests, type Clock } from '../clock.js';
import { availability } from '../availability/availability.js';
import { healthCheck } from '../availability/health-check.js';
import { openDiagnostics, type Diagnostics } from '../diagnostics/diagnostics.js';
import { logHealth } from '../diagnostics/health-log.js';
import { reportingSharedBuckets, watchSharedBuckets } from '../diagnostics/shared-bucket.js';
import { watchHitRate } from '../diagnostics/hit-rate.js';
import { logWatch } from '../diagnostics/watch-log.js';
import { watchState, type OnStateChange } from '../diagnostics/provider-state.js';
import { questionOf } from '../model/question.js';
import type { AskAtOnce } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import { failedResolution, type Resolution } from '../model/resolution.js';
import { selector } from './mapping/context.js';
import { subjectReader } from './mapping/subject.js';
import { authorized, withCredentials } from '../http/auth/authorized.js';
import { credentialsOf } from '../http/auth/credentials.js';
import { openTransport } from '../http/transport.js';
import { itemTexts } from '../remote/batch-wire.js';
import { bodySizes, remote } from '../remote/remote.js';
import { retried } from '../http/retried.js';
import { retryBudget } from '../http/retry.js';
import type { Logger } from '../options/provider-options.js';
import { lateWatch } from './late-watch.js';
import type { ProviderSettings } from '../options/settings.js';
import type { RequestView } from '../request/view.js';

/** One life of a provider, from start to close. */
export interface Running {
  readonly resolve: (
    flag: string,
    context: GivenContext,
    view: RequestView | undefined,
  ) => Resolution | Promise<Resolution>;
  /** Tries to reach the service; if that fails, goes on in the background. */
  readonly start: () => Promise<Failure | undefined>;
  /** Attaches a listener to what the layers report. */
  readonly listen: Diagnostics['listen'];
  readonly forget: (flags?: readonly string[]) => void;
  readonly close: () => Promise<void>;
}

export const CLOSED: Failure = {
  kind: 'closed',
  message: 'the Flipt provider is closed: create a new FliptProvider',
};

/** Nothing of a running provider belongs to the request that happens to create it, or to the one that it serves. */
export function run(
  { logger, ...settings }: ProviderSettings,
  changed: OnStateChange,
  clock: Clock,
  random: () => number,
): Running {
  const outside =
    <Args extends unknown[]>(call: (...args: Args) => void) =>
    (...args: Args) => {
      outsideRequests(() => {
        call(...args);
      });
    };
  const quiet: Logger = {
    error: outside((...words: unknown[]) => {
      logger.error(...words);
    }),
    warn: outside((...words: unknown[]) => {
      logger.warn(...words);
    }),
    info: outside((...words: unknown[]) => {
      logger.info(...words);
    }),
    debug: outside((...words: unknown[]) => {
      logger.debug(...words);
    }),
  };
  return outsideRequests(() => wire({ ...settings, logger: quiet }, outside(changed), clock, random));
}

/** The outermost wiring: the only place that knows which layers there are. */
function wire(
  settings: ProviderSettings,
  changed: OnStateChange,
  clock: Clock,
  random: () => number,
): Running {
  const { namespace, environment, reference, logger, http, deadlineMs } = settings;
  const closing = new AbortController();
  // Each request that is under way listens to it.
  setMaxListeners(0, closing.signal);

  const diagnostics = openDiagnostics();
  logHealth(diagnostics, logger);
  logWatch(diagnostics, settings, logger);
  const transport = openTransport(settings, clock, diagnostics);
  const credentials = credentialsOf(settings.auth, clock, http.timeoutMs, diagnostics);
  const refreshing = authorized(transport.send, credentials);
  const check = healthCheck(remote(refreshing, settings, closing.signal), namespace);
  const service = availability(
    {
      check,
      credentialsVersion: credentials.version,
      breaker: settings.breaker,
      reporter: diagnostics,
    },
    clock,
    random,
  );
  const throughCircuit = service.throughCircuit(withCredentials(transport.send, credentials));
  const textOf = itemTexts();
  const budget = retryBudget();
  const retrying = (extra: boolean): AskAtOnce => {
    const retrySettings = { retries: http.retries, withinMs: deadlineMs, extra };
    const retriedSend = retried(throughCircuit, retrySettings, budget, clock, random, diagnostics);
    return service.observed(remote(retriedSend, settings, closing.signal, textOf));
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
  const batch = batched(isolated, settings.batch, bodySizes(reference, textOf), clock, diagnostics);
  watchSharedBuckets(diagnostics, warn);
  const ask = reportingSharedBuckets(batch.ask, diagnostics);
  const watch =
    settings.watch &&
    lateWatch(settings.watch, diagnostics, ({ openWatching }, options) =>
      openWatching(
        authorized(transport.send, credentials),
        { ...settings, watch: options },
        diagnostics,
        clock,
        random,
      ),
    );
  const answers = cached(
    ask,
    { cache: settings.cache, deadlineMs, refusal: service.refusal, watch },
    clock,
    diagnostics,
  );
  // Before anybody else hears of it: who resolves a changed flag then gets its new value.
  diagnostics.listen('flags-changed', ({ flags }) => {
    answers.forget(flags);
  });
  if (settings.cache !== undefined) watchHitRate(diagnostics, warn);

  watchState(diagnostics, answers.knowsAnything, changed);

  const keyOf = questionKeys(namespace, environment, reference);
  const keys = knownKeys(settings.cache?.maxEntries ?? 0, selector(settings.attributes));
  const subjectOf = subjectReader(settings.attributes, settings.targetingKey);
  const pinsOf = pinning(clock);

  const known = (key: string, pins: Pins | undefined): Resolution | undefined => {
    const pinned = pins?.get(key);
    if (pinned !== undefined) return pinned;
    const resolution = answers.fresh(key);
    return resolution && pins ? pins.pin(key, resolution) : resolution;
  };

  const resolve: Running['resolve'] = (flag, context, view) => {
    const pins = view && pinsOf(view);
    const knownKey = keys.find(flag, context);
    const recalled = knownKey === undefined ? undefined : known(knownKey, pins);
    if (recalled !== undefined) return recalled;

    const subject = subjectOf(context);
    if ('kind' in subject) return failedResolution(subject);
    const key = keyOf(flag, subject);
    const resolution = known(key, pins);
    if (resolution !== undefined) {
      keys.keep(flag, context, key);
      return resolution;
    }
    const asked = answers.ask(key, questionOf(namespace, flag, subject));
    return pins === undefined ? asked : whenResolved(asked, (later) => pins.pin(key, later));
  };

  return {
    resolve(flag, context, view) {
      if (!diagnostics.wants.resolved) return resolve(flag, context, view);
      const since = clock.now();
      return whenResolved(resolve(flag, context, view), (resolution) => {
        const { answer, source, stale } = resolution;
        const failure = answer.kind === 'failed' ? answer.failure.kind : undefined;
        diagnostics.report({ type: 'resolved', source, stale, failure, durationMs: clock.now() - since });
        return resolution;
      });
    },
    start: () =>
      outsideRequests(() => {
        watch?.start();
        return service.start(settings.initTimeoutMs);
      }),
    listen: diagnostics.listen,
    forget(flags) {
      answers.forget(flags);
      watch?.poll();
    },
    async close() {
      closing.abort();
      service.close(CLOSED);
      watch?.close();
      overload.close();
      batch.close(CLOSED);
      answers.forget();
      await transport.close();
    },
  };
}

/** At once where the resolution is there at once. */
function whenResolved(
  coming: Resolution | Promise<Resolution>,
  use: (resolution: Resolution) => Resolution,
): Resolution | Promise<Resolution> {
  return coming instanceof Promise ? coming.then(use) : use(coming);
}
