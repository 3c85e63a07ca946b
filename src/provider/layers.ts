import { coalesced, outsideRequests } from '../base/time/background-work.js';
import { CLOSE_MS, closingController, orLate } from '../base/time/in-time.js';
import { loopTime } from '../base/time/loop-time.js';
import { openAuthorizedTransport } from '../http/auth.js';
import type { Send } from '../http/reply.js';
import { withRetries } from '../http/retry.js';
import type { Reporter } from '../model/events/reporter.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import type { ProviderSettings } from '../options/settings.js';
import { cachedAnswers } from '../remote/answers.js';
import { batching } from '../remote/batching.js';
import { askingHealthy, serviceHealth, sicknessIn } from '../remote/health.js';
import { batchSender, batchWriter, healthCheck } from '../remote/wire/batch-request.js';
import { SnapshotSource } from '../snapshot/source.js';
import { choosing } from './evaluate/choose.js';
import { reportingBuckets, resolvingRemotely } from './evaluate/remotely.js';
import { endedWords, logMissedSnapshot, logProblems, Overload } from './log.js';
import { entityId, oddAttributeWarning } from './mapping/attribute-text.js';
import { CLOSED } from './mapping/openfeature-errors.js';
import { believing, hasFlag, optionAdvice, servedText, snapshotForAnswers } from './snapshots.js';
import { start } from './start.js';
import type { State } from './state.js';
import type { Readings } from './status.js';
import { openTracking } from './tracking/tracking.js';

/** What the provider tells the app of changed flags, after their answers have been dropped. */
export type ChangeHeard = (flags: readonly string[]) => void;

/**
 * The layers of a provider, from a start to the next close; each is a function around the next one. In remote mode a
 * question passes `choosing`, `resolvingRemotely`, `cachedAnswers`, `believing` (the snapshot), `reportingBuckets`,
 * `batching`, `askingHealthy`, `batchSender`, `withRetries` and the transport. In-process, `choosing` asks the snapshot.
 */
export function openLayers(
  settings: ProviderSettings,
  state: State,
  world: Pick<Runtime, 'clock' | 'random'>,
  { hears, report }: Reporter,
  changeHeard: ChangeHeard,
) {
  // The layers outlive the request of the app during which they are made.
  return outsideRequests(() => layersOf(settings, state, { ...world, hears, report }, changeHeard));
}

export type Running = ReturnType<typeof openLayers>;

function layersOf(settings: ProviderSettings, state: State, runtime: Runtime, changeHeard: ChangeHeard) {
  const { logger, deadlineMs, cache, watch, namespace, reference } = settings;
  const { clock } = runtime;
  const closing = closingController();
  const time = loopTime(clock);
  const isServiceWell = () => sicknessIn(health.problems()) === undefined;
  const hasSnapshot = () => source?.snapshot() !== undefined;
  const isEmpty = () => source?.snapshot()?.flags.keys().size === 0;

  const transport = openAuthorizedTransport(settings, closing.signal, runtime);
  const check = healthCheck(batchSender(transport.send, settings, closing.signal), namespace);
  const health = serviceHealth(
    {
      async check() {
        const failure = await check();
        // During an outage, the last known answers expire.
        if (!isServiceWell()) state.update();
        return failure;
      },
      breaker: settings.breaker,
      isWatchShared: settings.snapshot.store?.shared !== undefined,
      time,
      changed(before, after) {
        const ended = endedWords(before, after, isEmpty());
        problemLog.changed(before, after, ended);
        state.update(ended);
        if (!before.has('unreachable') && after.has('unreachable')) source?.unreachable();
      },
      recovered() {
        void outsideRequests(() => source?.poller.pollNext());
      },
    },
    runtime,
  );

  // A request that fails while Flipt is sick is not repeated.
  const sendWhileWell: Send = async (request) => health.refusal() ?? transport.send(request);
  const send = withRetries(sendWhileWell, { ...settings.http, withinMs: deadlineMs }, runtime);
  const writer = batchWriter(reference);
  const overload = new Overload(logger, () => !isServiceWell(), clock);
  const batch = batching(
    {
      ...settings.batch,
      sizes: writer.sizes,
      ask: askingHealthy(batchSender(send, settings, closing.signal, writer), health),
      explains: (failure) => health.explains(failure),
      overload,
      deadlineMs,
      time,
    },
    runtime,
  );

  let trouble: string | undefined;
  const warnOfSnapshot = (message: string) => {
    trouble = message;
    logger.warn(message);
  };
  const source = usesSnapshots(settings)
    ? new SnapshotSource(transport.send, settings, warnOfSnapshot, runtime, {
        watched(condition, failure) {
          health.watched(condition, failure);
        },
        polled(failure) {
          health.polled(failure);
          state.update();
          if (failure !== undefined) return;
          snapshotLog.arrived();
          void advise();
        },
        changed(flags) {
          answers.forget(flags);
          changeHeard(flags);
        },
      })
    : undefined;
  const advise = async () => {
    const first = source?.snapshot();
    if (first === undefined || hasAdvised) return;
    hasAdvised = true;
    for (const advice of await optionAdvice(first, settings, clock)) logger.warn(advice);
  };
  let hasAdvised = false;

  const observed = reportingBuckets(batch.ask, runtime);
  const answers = cachedAnswers(
    source && watch ? believing(observed, source) : observed,
    {
      cache,
      deadlineMs,
      time,
      refusal(question) {
        const lost = health.problems().get('flags-lost');
        return health.refusal() ?? (source && lost && hasFlag(source, question) ? lost : undefined);
      },
      snapshot: source && snapshotForAnswers(source, settings, clock),
    },
    runtime,
  );
  state.begin({ problems: health.problems, hasSnapshot, knowsAnything: () => answers.knowsAnything() });

  const snapshotLog = logMissedSnapshot(logger);
  const problemLog = logProblems(settings, () => servedText(source, answers, clock), clock);
  const tracking =
    settings.tracking &&
    openTracking(settings.tracking, settings, ({ targetingKey }) => entityId(targetingKey), runtime);

  const noSnapshot = (): Failure => ({
    kind: 'no-snapshot',
    message: `${NO_SNAPSHOT}: ${trouble ?? NONE_SAVED}`,
  });
  const odd = oddAttributeWarning(logger);

  return {
    ...choosing(
      {
        source,
        remotely: resolvingRemotely(answers, settings, odd, runtime),
        odd,
        isWell: () => state.isWell(),
        isServiceWell,
        noSnapshot,
      },
      settings,
      runtime,
    ),
    source,
    tracking,
    start: coalesced(() =>
      outsideRequests(() =>
        state.start(() => {
          trouble = undefined;
          return start(health, source, settings, time, noSnapshot, snapshotLog.missed);
        }),
      ),
    ),
    /** Waits for a poll that is due or under way, which goes on after `withinMs`. */
    async refresh(withinMs = deadlineMs): Promise<void> {
      if (closing.signal.aborted) return;
      const refreshed = async () => {
        await source?.refresh();
        await health.check.underWay();
      };
      await orLate(outsideRequests(refreshed), withinMs, clock);
    },
    read: (): Readings => ({
      problems: [...health.problems().keys()],
      overloadSince: overload.since(),
      source,
      cache: answers.size(),
      inFlight: transport.underWay(),
      waiting: batch.waiting(),
      tracking: tracking?.read(),
    }),
    forget(flags?: readonly string[]): void {
      answers.forget(flags);
      void outsideRequests(() => source?.poller.pollNext(flags === undefined ? 'reset' : 'user'));
    },
    /** Waits about 2 s at most, because a user's store can hang. */
    close: async (): Promise<void> => {
      runtime.report({ type: 'closed' });
      closing.abort();
      problemLog.close();
      overload.close();
      health.close(CLOSED);
      batch.close(CLOSED);
      answers.forget();
      const all = Promise.all([source?.close(), transport.close(), tracking?.flush()]);
      if ((await orLate(all, CLOSE_MS, clock)) === 'late') logger.warn(NOT_ENDED);
      // Counts what is lost, before the app exits.
      tracking?.close();
    },
  };
}

function usesSnapshots({ watch, snapshot: { initial, file, store } }: ProviderSettings): boolean {
  return (watch ?? initial ?? file ?? store) !== undefined;
}

const NO_SNAPSHOT = "there is no snapshot to evaluate from (evaluation: 'in-process', watch: false)";
const NONE_SAVED =
  'no snapshot has been saved yet; set snapshot.initial, or run the app once without watch: false';
const NOT_ENDED = `The provider is closed, although its store, a connection or tracking.send has not ended within ${CLOSE_MS} ms`;
