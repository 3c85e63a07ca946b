import { coalesced, outsideRequests } from '../base/time/background-work.js';
import { withoutBackground } from '../base/time/clock.js';
import { closingController, orLate } from '../base/time/in-time.js';
import { openAuthorizedTransport } from '../http/auth/authorized-transport.js';
import { RetryBudget, withRetries } from '../http/retries.js';
import type { Question } from '../model/answer.js';
import { openDiagnostics, type Diagnostics } from '../model/events/reporter.js';
import type { Runtime } from '../model/runtime.js';
import type { ProviderSettings } from '../options/settings.js';
import { Batching } from '../remote/batch/batching.js';
import { Isolation } from '../remote/batch/isolation.js';
import { CachedAnswers } from '../remote/cache/cached-answers.js';
import { serviceHealth } from '../remote/health/service-health.js';
import { uncheckedHealth } from '../remote/health/unchecked-health.js';
import { batchSender, batchWriter } from '../remote/wire/batch-request.js';
import { healthCheck } from '../remote/wire/health-check.js';
import { acceptLossAfterMs } from '../snapshot/snapshot-source.js';
import { AttributesMissing } from './diagnostics/attributes-missing.js';
import { reportingBucketShared } from './diagnostics/bucket-shared.js';
import { logLayers } from './diagnostics/logs.js';
import { ended } from './ending.js';
import { askingAlone } from './evaluate/ask-alone.js';
import { inProcessOrRemote } from './evaluate/in-process-or-remote.js';
import { remotely } from './evaluate/resolve-remotely.js';
import { entityId, oddAttributeWarning } from './mapping/attribute-text.js';
import { CLOSED } from './mapping/openfeature-errors.js';
import type { Pipeline } from './pipeline.js';
import { believingSnapshot } from './snapshots/believe-snapshot.js';
import { checkingCredentials, learnFromPolls, pollAfterOutage } from './snapshots/polls-and-health.js';
import { afterPolls, PollingCall, PollsOfCalls } from './snapshots/polls-of-calls.js';
import { ProviderSnapshots } from './snapshots/provider-snapshots.js';
import { snapshotForCache } from './snapshots/watched-cache.js';
import { start } from './start.js';
import type { ReportedState } from './status/provider-state.js';
import { openTracking, type Context } from './tracking/tracking.js';

/*
 * This file is the only place that knows all layers. On its way from its caller to Flipt, a question passes these
 * layers, in each mode:
 *
 *   remote                 in-process             without a background
 *   --------------------   --------------------   -------------------------------------------
 *   provider/evaluate      provider/evaluate      provider/evaluate, after a poll that is due
 *                          snapshot, engine       snapshot, engine
 *                          if these cannot answer:
 *   provider/mapping       provider/mapping       provider/mapping
 *   provider/per-request   provider/per-request
 *   remote/cache           remote/cache
 *   remote/batch           remote/batch
 *   remote/health          remote/health
 *   remote/wire            remote/wire            remote/wire
 *   http                   http                   http
 *
 * Each layer is made from those below it, so that the code begins at the foot of the list.
 */

/**
 * Puts together all layers for one life of a provider, which lasts from a start to the close. The layers outlive the
 * request that happens to create or use them, so that nothing in the layers belongs to that request.
 */
export function wire(
  settings: ProviderSettings,
  reported: ReportedState,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  diagnostics = openDiagnostics(),
): Pipeline {
  const wireMode = settings.background ? wireWithBackground : wireWithoutBackground;
  return outsideRequests(() => wireMode(settings, reported, { clock, random, ...diagnostics }));
}

/**
 * Puts the layers together if background work is allowed. In-process, the layers below the snapshot are asked only for
 * what the snapshot cannot answer.
 */
function wireWithBackground(
  settings: ProviderSettings,
  reported: ReportedState,
  runtime: Runtime & Diagnostics,
): Pipeline {
  const { logger, deadlineMs, cache, watch } = settings;
  const { clock, listen } = runtime;
  const closing = closingController();
  const overloadSince = logLayers(runtime, logger, cache !== undefined);
  const tracking = trackingOf(settings, runtime);

  // The layers http, remote/wire and remote/health send one request, as long as the circuit is closed.
  const transport = openAuthorizedTransport(settings, closing.signal, runtime);
  const check = healthCheck(batchSender(transport.send, settings, closing.signal), settings.namespace);
  const isWatchShared = settings.snapshot.store?.shared !== undefined;
  const health = serviceHealth({ ...settings, ...transport, check, isWatchShared }, runtime);
  const writer = batchWriter(settings.reference);
  const budget = new RetryBudget();
  const asking = (isPart: boolean) => {
    const retrying = { ...settings.http, withinMs: deadlineMs, extra: isPart, budget };
    const send = withRetries(health.throughCircuit(transport.sendOnce), retrying, runtime);
    return health.observed(batchSender(send, settings, closing.signal, writer), isPart);
  };

  // The layer remote/batch collects the questions of one turn of the event loop.
  const isolation = new Isolation({ ...health, ask: asking(false), askPart: asking(true) }, runtime);
  const batch = new Batching(isolation, { ...settings.batch, sizes: writer.sizes }, runtime);

  // The snapshot is fetched beside the questions.
  const snapshots = usesSnapshots(settings)
    ? new ProviderSnapshots(transport.send, settings, runtime, true)
    : undefined;
  const features = () => snapshots?.snapshot()?.compiled;
  const attributes = new AttributesMissing(features, runtime.report);
  const observed = reportingBucketShared(batch.ask, features, runtime);
  const believe = { acceptLossAfterMs: acceptLossAfterMs(settings), flagsLost: health.flagsLost };
  const believing = snapshots && watch && believingSnapshot(observed, snapshots, believe, clock);

  // The layer remote/cache keeps answers, and forgets them when their flags change.
  const refusal = (question: Question) => health.refusal() ?? believing?.refusal(question);
  const fromSnapshot = snapshots && snapshotForCache(snapshots, watch?.maxAgeMs, runtime);
  const answers = new CachedAnswers(
    believing?.ask ?? observed,
    { cache, deadlineMs, refusal, watch: fromSnapshot },
    runtime,
  );
  // This listener has to be the first one. When the other listeners learn of a change, a resolve must already return
  // the new value.
  listen('flags-changed', ({ flags }) => {
    answers.forget(flags);
    attributes.changed(flags);
  });

  const hasSnapshot = () => snapshots?.snapshot() !== undefined;
  const life = reported.begin(runtime, { knowsAnything: () => answers.knowsAnything(), hasSnapshot });
  const checking = checkingCredentials(health, hasSnapshot, runtime);
  learnFromPolls(health, runtime);
  pollAfterOutage(snapshots, runtime);

  // The layers provider/per-request, provider/mapping and provider/evaluate come last.
  const odd = oddAttributeWarning(logger);
  const ask = remotely(answers, settings, clock, odd, attributes);

  return {
    ...inProcessOrRemote({ ask, odd }, snapshots, attributes, life, settings, runtime),
    snapshots,
    tracking,
    listen,
    start: coalesced(() =>
      outsideRequests(() => life.start(() => start(health, snapshots, settings, clock))),
    ),
    /** Waits at most `withinMs`. A poll that takes longer goes on alone. */
    async refresh(withinMs = deadlineMs) {
      if (closing.signal.aborted) return;
      const refreshed = async () => {
        await snapshots?.refresh();
        await checking();
      };
      await orLate(outsideRequests(refreshed), withinMs, clock);
    },
    read: () => ({
      overloadSince: overloadSince(),
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

/**
 * Puts the layers together if nothing may run between calls. Calls share the snapshot, but nothing that is under way.
 * Because calls share nothing that is under way, there is no cache, no batch and no circuit breaker.
 */
function wireWithoutBackground(
  settings: ProviderSettings,
  reported: ReportedState,
  world: Runtime & Diagnostics,
): Pipeline {
  const runtime = { ...world, clock: withoutBackground(world.clock) };
  const { logger, deadlineMs, watch } = settings;
  const { clock, listen } = runtime;
  /** A call has half of its time for a poll, and the other half for a question. */
  const halfMs = deadlineMs / 2;
  const closing = closingController();
  const overloadSince = logLayers(runtime, logger, false);
  const tracking = trackingOf(settings, runtime);

  // The layers http and remote/wire send one request, with the signal of its caller.
  const transport = openAuthorizedTransport(settings, closing.signal, runtime, false);
  const writer = batchWriter(settings.reference);
  const send = withRetries(transport.send, { ...settings.http, withinMs: halfMs }, runtime);
  const askAtOnce = batchSender(send, settings, closing.signal, writer);

  // The snapshot is polled by calls.
  const call = new PollingCall(closing.signal, clock);
  const snapshots = new ProviderSnapshots(call.sending(transport.send), settings, runtime, false);
  const polls = new PollsOfCalls(snapshots, call, watch?.pollMs ?? Infinity, closing.signal, clock);
  const attributes = new AttributesMissing(() => snapshots.snapshot()?.compiled, runtime.report);

  const health = uncheckedHealth(runtime);
  learnFromPolls(health, runtime);
  const hasSnapshot = () => snapshots.snapshot() !== undefined;
  const life = reported.begin(runtime, { knowsAnything: hasSnapshot, hasSnapshot });
  listen('flags-changed', ({ flags }) => {
    attributes.changed(flags);
  });

  // The layers provider/mapping and provider/evaluate come last.
  const odd = oddAttributeWarning(logger);
  const alone = { askAtOnce, ...writer, closing: closing.signal, withinMs: halfMs, odd, health, snapshots };
  const ask = askingAlone(alone, settings, clock);
  const before = () => polls.before(halfMs);
  const evaluations = inProcessOrRemote({ ask, odd, before }, snapshots, attributes, life, settings, runtime);

  return {
    ...afterPolls(evaluations, polls, halfMs),
    snapshots,
    tracking,
    listen,
    /** Begins the life without sending a request. */
    start: coalesced(() => outsideRequests(() => life.start(undefined))),
    refresh: (withinMs = deadlineMs) => polls.refresh(withinMs),
    read: () => ({
      overloadSince: overloadSince(),
      snapshots,
      cache: { entries: 0, bytes: 0 },
      inFlight: transport.underWay(),
      waiting: 0,
      tracking: tracking?.read(),
    }),
    forget(flags) {
      polls.soon(flags === undefined ? 'reset' : 'user');
    },
    async close() {
      runtime.report({ type: 'closed' });
      closing.abort();
      health.close(CLOSED);
      await ended([snapshots.close(), transport.close()], tracking, logger, clock);
    },
  };
}

/** Opens tracking, or returns `undefined` if the option `tracking` is not set. */
function trackingOf(settings: ProviderSettings, runtime: Runtime) {
  const userOf = ({ targetingKey }: Context): string => entityId(targetingKey);
  return settings.tracking && openTracking(settings.tracking, settings, userOf, runtime);
}

/** Returns whether the provider can ever have a snapshot with these options. */
function usesSnapshots({ watch, snapshot: { initial, file, store } }: ProviderSettings): boolean {
  return (watch ?? initial ?? file ?? store) !== undefined;
}
