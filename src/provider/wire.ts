import { coalesced, outsideRequests } from '../base/time/background-work.js';
import { closingController, orLate } from '../base/time/in-time.js';
import { loopTime } from '../base/time/loop-time.js';
import { openAuthorizedTransport } from '../http/auth.js';
import type { Send } from '../http/reply.js';
import { withRetries } from '../http/retry.js';
import type { Question } from '../model/answer.js';
import { openDiagnostics, type Diagnostics } from '../model/events/reporter.js';
import type { Runtime } from '../model/runtime.js';
import type { ProviderSettings } from '../options/settings.js';
import { cachedAnswers } from '../remote/answers.js';
import { batching } from '../remote/batching.js';
import { askingHealthy, serviceHealth } from '../remote/health.js';
import { batchSender, batchWriter, healthCheck } from '../remote/wire/batch-request.js';
import { acceptLossAfterMs } from '../snapshot/source.js';
import { reportingBucketShared } from './diagnostics/bucket-shared.js';
import { failsToAnswer } from './diagnostics/health-log.js';
import { logLayers } from './diagnostics/logs.js';
import { ended } from './ending.js';
import { inProcessOrRemote } from './evaluate/in-process-or-remote.js';
import { remotely } from './evaluate/resolve-remotely.js';
import { entityId, oddAttributeWarning } from './mapping/attribute-text.js';
import { CLOSED } from './mapping/openfeature-errors.js';
import type { Pipeline } from './pipeline.js';
import { believingSnapshot } from './snapshots/believe-snapshot.js';
import { passPollsToHealth } from './snapshots/polls-and-health.js';
import { ProviderSnapshots } from './snapshots/provider-snapshots.js';
import { snapshotForAnswers } from './snapshots/watched-cache.js';
import { start } from './start.js';
import type { ReportedState, StateFollower } from './status/provider-state.js';
import { openTracking, type Context } from './tracking/tracking.js';

/*
 * This file puts the layers of the provider together. On its way to Flipt, a question (a flag and a context) passes
 * some of the layers, until one of them can answer:
 *
 * - In remote mode, a question passes provider/evaluate, provider/mapping, provider/per-request,
 *   remote/answers, remote/batching, remote/health, remote/wire and http.
 * - In-process, a question passes provider/evaluate, snapshot and engine. If the snapshot cannot answer an in-process
 *   question, the question then passes the layers of remote mode, from provider/mapping on.
 *
 * The code below makes the last layer first, because each layer is a function around the next layer.
 */

/**
 * Puts together all layers of a provider, for the time from a start to the next close. The layers live longer than the
 * HTTP request during which the app may have created them. `outsideRequests` keeps the AsyncLocalStorage of that
 * request away from the layers.
 */
export function wire(
  settings: ProviderSettings,
  reported: ReportedState,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  diagnostics = openDiagnostics(),
): Pipeline {
  return outsideRequests(() => wired(settings, reported, { clock, random, ...diagnostics }));
}

/** In-process, the layers of remote mode get only the questions that the snapshot cannot answer. */
function wired(
  settings: ProviderSettings,
  reported: ReportedState,
  runtime: Runtime & Diagnostics,
): Pipeline {
  const { logger, deadlineMs, cache, watch } = settings;
  const { clock, listen } = runtime;
  const closing = closingController();
  const time = loopTime(clock);
  const logs = logLayers(runtime, logger, cache !== undefined);
  const tracking = trackingOf(settings, runtime);

  const transport = openAuthorizedTransport(settings, closing.signal, runtime);
  const writer = batchWriter(settings.reference);
  const health = serviceHealth(
    {
      check: healthCheck(batchSender(transport.send, settings, closing.signal), settings.namespace),
      breaker: settings.breaker,
      isWatchShared: settings.snapshot.store?.shared !== undefined,
      time,
      changed(before, after) {
        providerState.problemsChanged(before, after, health.isStarting());
        logs.problemsChanged(before, after);
        // Without this poll, the provider could report READY up to an interval before it sees what has changed meanwhile.
        if (failsToAnswer(before) && !failsToAnswer(after) && !health.isStarting()) snapshots?.poll();
      },
    },
    runtime,
  );

  // A request that fails while Flipt is sick is not repeated.
  const sendWhileWell: Send = async (request) => health.refusal() ?? transport.send(request);
  const send = withRetries(sendWhileWell, { ...settings.http, withinMs: deadlineMs }, runtime);
  const batch = batching(
    {
      ...settings.batch,
      sizes: writer.sizes,
      ask: askingHealthy(batchSender(send, settings, closing.signal, writer), health),
      explains: (failure) => health.explains(failure),
      deadlineMs,
      time,
    },
    runtime,
  );

  // The provider fetches the snapshot with separate requests, beside the requests for evaluations.
  const snapshots = usesSnapshots(settings)
    ? new ProviderSnapshots(transport.send, settings, runtime)
    : undefined;
  const features = () => snapshots?.snapshot()?.compiled;
  const observed = reportingBucketShared(batch.ask, features, runtime);
  const believe = {
    acceptLossAfterMs: acceptLossAfterMs(settings),
    flagsLost: () => health.problems().get('flags-lost'),
  };
  const believing = snapshots && watch && believingSnapshot(observed, snapshots, believe, clock);

  // The layer remote/answers keeps Flipt's answers, and drops the answers about a flag when the provider sees that the
  // flag has changed.
  const refusal = (question: Question) => health.refusal() ?? believing?.refusal(question);
  const snapshot = snapshots && snapshotForAnswers(snapshots, watch?.maxAgeMs, runtime);
  const answers = cachedAnswers(
    believing?.ask ?? observed,
    { cache, deadlineMs, time, refusal, snapshot },
    runtime,
  );
  // This listener must come before the app's listeners of `flags-changed`, because a resolve in an app's listener must
  // already return the flag's new value.
  listen('flags-changed', ({ flags }) => {
    answers.forget(flags);
  });

  const hasSnapshot = () => snapshots?.snapshot() !== undefined;
  const providerState: StateFollower = reported.begin(runtime, {
    problems: health.problems,
    knowsAnything: () => answers.knowsAnything(),
    hasSnapshot,
  });
  const checking = passPollsToHealth(health, hasSnapshot, runtime);

  // The layers provider/per-request, provider/mapping and provider/evaluate are made last.
  const odd = oddAttributeWarning(logger);
  const ask = remotely(answers, settings, clock, odd, logs.looked);

  return {
    ...inProcessOrRemote({ ask, odd }, snapshots, providerState, settings, runtime),
    snapshots,
    tracking,
    listen,
    start: coalesced(() =>
      outsideRequests(() => providerState.start(() => start(health, snapshots, settings, clock))),
    ),
    /**
     * Waits for a poll that is due or under way, at most `withinMs` milliseconds for the poll. A poll that takes longer than
     * `withinMs` goes on after the promise has resolved.
     */
    async refresh(withinMs = deadlineMs) {
      if (closing.signal.aborted) return;
      const refreshed = async () => {
        await snapshots?.refresh();
        await checking();
      };
      await orLate(outsideRequests(refreshed), withinMs, clock);
    },
    read: () => ({
      problems: [...health.problems().keys()],
      overloadSince: logs.overloadSince(),
      snapshots,
      cache: answers.size(),
      inFlight: transport.underWay(),
      waiting: batch.waiting(),
      tracking: tracking?.read(),
    }),
    forget(flags) {
      answers.forget(flags);
      snapshots?.poll(flags === undefined ? 'reset' : 'user');
    },
    close: async () => {
      runtime.report({ type: 'closed' });
      closing.abort();
      health.close(CLOSED);
      batch.close(CLOSED);
      answers.forget();
      await ended([snapshots?.close(), transport.close()], tracking, logger, clock);
    },
  };
}

/** Opens tracking, or returns `undefined` if the option `tracking` is not set. */
function trackingOf(settings: ProviderSettings, runtime: Runtime) {
  const userOf = ({ targetingKey }: Context): string => entityId(targetingKey);
  return settings.tracking && openTracking(settings.tracking, settings, userOf, runtime);
}

/** Returns `true` if these options allow the provider to have a snapshot. */
function usesSnapshots({ watch, snapshot: { initial, file, store } }: ProviderSettings): boolean {
  return (watch ?? initial ?? file ?? store) !== undefined;
}
