import { CachedAnswers } from '../cache/cached-answers.js';
import { withoutBackground } from '../time/clock.js';
import { outsideRequests, coalesced } from '../time/background-work.js';
import { CLOSE_MS, closingController, orLate } from '../time/in-time.js';
import { openDiagnostics, type Diagnostics } from '../diagnostics/diagnostics.js';
import type { Availability } from '../availability/availability.js';
import { failsToAnswer } from '../diagnostics/ended-problems.js';
import { logHealth } from '../diagnostics/health-log.js';
import { logHitRate } from '../diagnostics/hit-rate-log.js';
import { logOverload } from '../diagnostics/overload-log.js';
import { logBucketShared } from '../diagnostics/bucket-shared-log.js';
import type { Question } from '../model/answer.js';
import { policyOf } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import type { Runtime } from '../runtime.js';
import { openTracking } from '../tracking/tracking.js';
import type { Condition } from './condition.js';
import { reportingBucketShared } from './report-bucket-shared.js';
import { entityId } from './mapping/context.js';
import { CLOSED } from './mapping/openfeature-errors.js';
import { believingSnapshot } from './believe-snapshot.js';
import { snapshotForCache } from './watched-cache.js';
import { inProcessOrRemote } from './in-process-or-remote.js';
import { openServiceLayers } from './service-layers.js';
import { providerSnapshots, type ProviderSnapshots } from './provider-snapshots.js';
import { start } from './start/start.js';

export type Pipeline = ReturnType<typeof openPipeline>;

/** One life of a provider, from start to close. Nothing of it belongs to the request that happens to create or use it. */
export function openPipeline(
  settings: ProviderSettings,
  condition: Condition,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  diagnostics = openDiagnostics(),
) {
  const ownClock = settings.background ? clock : withoutBackground(clock);
  const runtime = { clock: ownClock, random, ...diagnostics };
  return outsideRequests(() => wire(settings, condition, runtime));
}

/** The outermost wiring: with `openServiceLayers`, the only place that knows which layers there are. */
function wire(settings: ProviderSettings, condition: Condition, runtime: Runtime & Diagnostics) {
  const { clock, listen } = runtime;
  const tracking = settings.tracking && openTracking(settings.tracking, settings, userOf, runtime);
  const closing = closingController();
  const overloadSince = logLayers(settings, runtime);
  const layers = openServiceLayers(settings, closing.signal, runtime);
  const { service } = layers;
  let isStarting = clock.hasBackground;
  const snapshots = usesSnapshots(settings)
    ? providerSnapshots(layers.send, settings, runtime, () => isStarting)
    : undefined;
  const answers = openAnswers(layers, snapshots, settings, runtime);
  const hasSnapshot = () => snapshots?.snapshot() !== undefined;
  const fallback = { knowsAnything: () => answers.knowsAnything(), hasSnapshot };
  const life = condition.begin(runtime, fallback);
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
  // Without a background, a start that callers share could end with the first of them. Each call asks by itself.
  const attempt = clock.hasBackground
    ? () =>
        start(service, snapshots, settings, clock).finally(() => {
          isStarting = false;
        })
    : undefined;

  return {
    ...inProcessOrRemote(answers, snapshots, life.state, settings, runtime),
    /** `undefined` if there is never a snapshot. */
    snapshots,
    /** `undefined` without the option. */
    tracking,
    /**
     * Tries to reach the service. If that fails, continues in the background. Concurrent callers share one start.
     * Resolves with the failure, if there is one. Never rejects.
     */
    start: coalesced(() => outsideRequests(() => life.start(attempt))),
    /** Polls if that is due and no poll is under way. After the time, the poll goes on alone. Never rejects. */
    async refresh(withinMs = settings.deadlineMs) {
      if (closing.signal.aborted) return;
      const refreshed = async () => {
        await Promise.all([service.checkIfDue(), snapshots?.refresh()]);
        await checking();
      };
      await orLate(outsideRequests(refreshed), withinMs, clock);
    },
    read: () => ({
      /** Milliseconds since the epoch. */
      overloadSince: overloadSince(),
      snapshots,
      cache: answers.size(),
      /** Requests under way. */
      inFlight: layers.underWay(),
      /** Questions that wait to be sent. */
      waiting: layers.batch.waiting(),
      tracking: tracking?.read(),
    }),
    /** Attaches a listener to what the layers report. */
    listen,
    forget(flags?: readonly string[]) {
      answers.forget(flags);
      poll(flags === undefined ? 'reset' : 'user');
    },
    close: async () => {
      runtime.report({ type: 'closed' });
      closing.abort();
      service.close(CLOSED);
      layers.batch.close(CLOSED);
      answers.forget();
      // A store that hangs must not keep connections open.
      const ended = Promise.all([snapshots?.close(), layers.close(), tracking?.flush()]);
      if ((await orLate(ended, CLOSE_MS, clock)) === 'late') settings.logger.warn(NOT_ENDED);
      // Without a time limit of its own: what it loses must be counted before the close ends, as the process may exit then.
      tracking?.close();
    },
  };
}

/** The user of a context, for tracking. */
const userOf = ({ targetingKey }: { readonly targetingKey?: unknown }): string => entityId(targetingKey);

/** Logs what the layers report. Returns since when there has been overload. */
function logLayers({ logger, cache }: ProviderSettings, runtime: Runtime & Diagnostics) {
  logHealth(runtime, logger);
  logBucketShared(runtime, logger);
  if (cache !== undefined) logHitRate(runtime, logger);
  return logOverload(runtime, logger, runtime.clock);
}

/** Answers of the service, which are forgotten when their flags change. */
function openAnswers(
  { batch, service }: ReturnType<typeof openServiceLayers>,
  snapshots: ProviderSnapshots | undefined,
  { cache, deadlineMs, watch }: ProviderSettings,
  runtime: Runtime & Diagnostics,
) {
  const features = () => snapshots?.snapshot()?.compiled;
  const asked = reportingBucketShared(batch.ask, features, runtime);
  const believing = snapshots && watch && believingSnapshot(asked, snapshots, service.flagsLost);
  const refusal = (question: Question) => service.refusal() ?? believing?.refusal(question);
  const known = snapshots && snapshotForCache(snapshots, watch?.maxAgeMs, runtime);
  const layered = { cache, deadlineMs, refusal, watch: known };
  const answers = new CachedAnswers(believing?.ask ?? asked, layered, runtime);
  // Must be the first listener: when the others learn of a change, a resolve must return the new value already.
  runtime.listen('flags-changed', ({ flags }) => {
    answers.forget(flags);
  });
  return answers;
}

/**
 * In-process, or as long as the cache knows all answers, only polls show that a token was revoked. A check distinguishes
 * that from a service that refuses only the snapshot. The result ends with the last check.
 */
function checkingCredentials(
  { checkCredentials }: Availability,
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

const NOT_ENDED = `The provider is closed, although its store, a connection or tracking.send has not ended within ${CLOSE_MS} ms`;

/** Whether there may ever be a snapshot. */
function usesSnapshots({ watch, snapshot: { initial, file, store } }: ProviderSettings): boolean {
  return (watch ?? initial ?? file ?? store) !== undefined;
}
