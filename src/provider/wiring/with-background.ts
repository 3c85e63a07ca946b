import { CachedAnswers } from '../../remote/cache/cached-answers.js';
import { outsideRequests, coalesced } from '../../base/time/background-work.js';
import { closingController, orLate } from '../../base/time/in-time.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import type { ServiceHealth } from '../../remote/health/service-health.js';
import { failsToAnswer } from '../diagnostics/health-log.js';
import { logHitRate } from '../diagnostics/hit-rate-log.js';
import { logOverload } from '../diagnostics/overload-log.js';
import type { Question } from '../../model/answer.js';
import { policyOf } from '../../model/failure.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import type { ReportedState } from '../status/provider-state.js';
import { oddAttributeWarning } from '../mapping/attribute-text.js';
import type { Pipeline } from '../pipeline.js';
import { remotely } from '../resolve-remotely.js';
import { ended, logProblems, trackingOf } from './parts-of-both.js';
import { AttributesMissing } from '../attributes-missing.js';
import { reportingBucketShared } from '../report-bucket-shared.js';
import { CLOSED } from '../mapping/openfeature-errors.js';
import { believingSnapshot } from '../believe-snapshot.js';
import { snapshotForCache } from '../watched-cache.js';
import { inProcessOrRemote } from '../in-process-or-remote.js';
import { openServiceLayers, type ServiceLayers } from './service-layers.js';
import { ACCEPT_LOSS_AFTER_MS } from '../../snapshot/snapshot-source.js';
import { ProviderSnapshots } from '../provider-snapshots.js';
import { start } from '../start/start.js';

/** The outermost wiring: with `openServiceLayers`, the only place that knows which layers there are. */
export function wireWithBackground(
  settings: ProviderSettings,
  reported: ReportedState,
  runtime: Runtime & Diagnostics,
): Pipeline {
  const { clock, listen } = runtime;
  const tracking = trackingOf(settings, runtime);
  const closing = closingController();
  const odd = oddAttributeWarning(settings.logger);
  const overloadSince = logLayers(settings, runtime);
  const layers = openServiceLayers(settings, closing.signal, runtime);
  const { service } = layers;
  let isStarting = true;
  const snapshots = usesSnapshots(settings)
    ? new ProviderSnapshots(layers.send, settings, runtime, () => isStarting)
    : undefined;
  const attributes = new AttributesMissing(() => snapshots?.snapshot()?.compiled, runtime.report);
  const answers = openAnswers(layers, snapshots, attributes, settings, runtime);
  const hasSnapshot = () => snapshots?.snapshot() !== undefined;
  const fallback = { knowsAnything: () => answers.knowsAnything(), hasSnapshot };
  const life = reported.begin(runtime, fallback);
  const poll = (asker?: 'user' | 'reset') =>
    void outsideRequests(() => snapshots?.opened()?.watch.poll(asker));
  const checking = checkingCredentials(service, hasSnapshot, runtime);
  listen('snapshot-polled', ({ failure }) => {
    service.polled(failure);
  });
  listen('watch-changed', ({ state, failure }) => {
    service.watched(state, failure);
  });
  // Polls at once: otherwise READY would come up to a whole interval before the changes made during the outage.
  listen('health-changed', ({ before, after, starting }) => {
    if (failsToAnswer(before) && !failsToAnswer(after) && !starting) poll();
  });
  const attempt = () =>
    start(service, snapshots, settings, clock).finally(() => {
      isStarting = false;
    });
  const asking = remotely(answers, settings, clock, odd);

  return {
    ...inProcessOrRemote({ ask: asking, odd }, snapshots, attributes, () => life.state(), settings, runtime),
    snapshots,
    tracking,
    start: coalesced(() => outsideRequests(() => life.start(attempt))),
    /** After the time, the poll goes on alone. */
    async refresh(withinMs = settings.deadlineMs) {
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
      inFlight: layers.underWay(),
      waiting: layers.batch.waiting(),
      tracking: tracking?.read(),
    }),
    listen,
    forget(flags) {
      answers.forget(flags);
      poll(flags === undefined ? 'reset' : 'user');
    },
    close: async () => {
      runtime.report({ type: 'closed' });
      closing.abort();
      service.close(CLOSED);
      layers.batch.close(CLOSED);
      answers.forget();
      await ended([snapshots?.close(), layers.close()], tracking, settings, runtime);
    },
  };
}

/** Logs what the layers report. Returns since when there has been overload. */
function logLayers(settings: ProviderSettings, runtime: Runtime & Diagnostics): () => number | undefined {
  logProblems(runtime, settings);
  if (settings.cache !== undefined) logHitRate(runtime, settings.logger);
  return logOverload(runtime, settings.logger, runtime.clock);
}

/** Answers of the service, which are forgotten when their flags change. */
function openAnswers(
  { batch, service }: ServiceLayers,
  snapshots: ProviderSnapshots | undefined,
  attributes: AttributesMissing,
  { cache, deadlineMs, watch }: ProviderSettings,
  runtime: Runtime & Diagnostics,
): CachedAnswers {
  const features = () => snapshots?.snapshot()?.compiled;
  const asked = attributes.reporting(reportingBucketShared(batch.ask, features, runtime));
  const acceptLossAfterMs = cache?.staleOnErrorForMs ?? ACCEPT_LOSS_AFTER_MS;
  const believe = { acceptLossAfterMs, flagsLost: service.flagsLost };
  const believing = snapshots && watch && believingSnapshot(asked, snapshots, believe, runtime.clock);
  const refusal = (question: Question) => service.refusal() ?? believing?.refusal(question);
  const known = snapshots && snapshotForCache(snapshots, watch?.maxAgeMs, runtime);
  const layered = { cache, deadlineMs, refusal, watch: known };
  const answers = new CachedAnswers(believing?.ask ?? asked, layered, runtime);
  // Must be the first listener: when the others learn of a change, a resolve must return the new value already.
  runtime.listen('flags-changed', ({ flags }) => {
    answers.forget(flags);
    attributes.changed(flags);
  });
  return answers;
}

/**
 * In-process, or as long as the cache knows all answers, only polls show that a token was revoked. A check distinguishes
 * that from a service that refuses only the snapshot. The result ends with the last check.
 */
function checkingCredentials(
  { checkCredentials }: ServiceHealth,
  hasSnapshot: () => boolean,
  { listen }: Diagnostics,
): () => Promise<void> | undefined {
  let checking: Promise<void> | undefined;
  listen('snapshot-polled', ({ failure }) => {
    if (failure === undefined || policyOf(failure).cause !== 'credentials' || !hasSnapshot()) return;
    checking = outsideRequests(checkCredentials);
  });
  return () => checking;
}

/** Whether there may ever be a snapshot. */
function usesSnapshots({ watch, snapshot: { initial, file, store } }: ProviderSettings): boolean {
  return (watch ?? initial ?? file ?? store) !== undefined;
}
