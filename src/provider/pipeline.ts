import { setMaxListeners } from 'node:events';
import { cached } from '../cache/cached.js';
import { overloadWatch } from '../diagnostics/overload.js';
import { outsideRequests, type Clock } from '../clock.js';
import { openDiagnostics, type Diagnostics } from '../diagnostics/diagnostics.js';
import { logHealth } from '../diagnostics/health-log.js';
import { reportingSharedBuckets, watchSharedBuckets } from '../diagnostics/shared-bucket.js';
import { watchHitRate } from '../diagnostics/hit-rate.js';
import { logWatch } from '../diagnostics/watch-log.js';
import { watchState, type OnStateChange } from './status/provider-state.js';
import type { Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import { failedResolution } from '../model/resolution.js';
import type { Logger } from '../options/provider-options.js';
import type { Explain } from './evaluate/explaining.js';
import { lazyExplain } from './evaluate/lazy-explain.js';
import { inProcess, type ResolveAll } from './resolve-in-process.js';
import type { Readings } from './status/status-readings.js';
import { reportingResolved, type ReportedResolving } from './resolved.js';
import { lazySnapshots } from './snapshots.js';
import { noSnapshot, start } from './start.js';
import { clockOf, openAsking } from './asking.js';
import { remotely, type Resolve } from './resolve-remotely.js';
import { unreadableResolver } from './evaluate/ask-unreadable.js';
import type { SnapshotBody } from '../snapshot/body/write-body.js';
import type { ProviderSettings } from '../options/settings.js';

/** One life of a provider, from start to close. */
export interface Running {
  readonly resolve: Resolve;
  readonly refused: ReportedResolving['refused'];
  readonly ahead: ReportedResolving['ahead'];
  /** The keys of all flags in the snapshot, or in that of the context's view; `undefined` while there is none. */
  readonly flagKeys: (context: object) => Iterable<string> | undefined;
  readonly resolveAll: ResolveAll;
  /** The same as long as flags are evaluated in this process; otherwise `undefined`. */
  readonly resolveEach: ResolveAll;
  readonly explain: Explain;
  readonly snapshot: () => SnapshotBody | undefined;
  /** Whether these flags, by default all, are evaluated in this process at present. */
  readonly isHere: (flags?: readonly string[]) => boolean;
  /** Tries to reach the service. If that fails, continues in the background. */
  readonly start: () => Promise<Failure | undefined>;
  /** Polls if that is due and no poll is under way. Never rejects. */
  readonly refresh: () => Promise<void>;
  readonly read: () => Readings;
  /** Attaches a listener to what the layers report. */
  readonly listen: Diagnostics['listen'];
  readonly forget: (flags?: readonly string[]) => void;
  readonly close: () => Promise<void>;
}

export const CLOSED: Failure = {
  kind: 'closed',
  message: 'the Flipt provider is closed: create a new FliptProvider',
};

/**
 * Runs the provider outside any request: nothing of it belongs to the request that happens to create it or to use it.
 */
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
  const level = (name: keyof Logger) =>
    outside((...words: unknown[]) => {
      logger[name](...words);
    });
  const quiet = { error: level('error'), warn: level('warn'), info: level('info'), debug: level('debug') };
  return outsideRequests(() => wire({ ...settings, logger: quiet }, outside(changed), clock, random));
}

/** The outermost wiring: the only place that knows which layers there are. */
function wire(
  settings: ProviderSettings,
  changed: OnStateChange,
  time: Clock,
  random: () => number,
): Running {
  const { logger, deadlineMs } = settings;
  const clock = clockOf(settings, time);
  const hasBackground = clock.hasBackground !== false;
  const closing = new AbortController();
  // Each request under way adds a listener.
  setMaxListeners(0, closing.signal);

  const diagnostics = openDiagnostics();
  logHealth(diagnostics, logger);
  logWatch(diagnostics, settings, logger);
  const asking = openAsking(settings, closing.signal, diagnostics, time, random);
  const { batch, service } = asking;
  const warn = (message: string) => {
    logger.warn(message);
  };
  const overload = overloadWatch(diagnostics, warn, clock);
  watchSharedBuckets(diagnostics, warn);
  const snapshots = usesSnapshots(settings)
    ? lazySnapshots(asking.send, settings, diagnostics, clock, random)
    : undefined;
  /** Polls as soon as possible: at once, or where nothing works in the background, with the next refresh. */
  const pollSoon = (asker?: 'user') => {
    if (hasBackground) outsideRequests(() => void snapshots?.poll(asker));
    else snapshots?.expire();
  };
  const bucketDecides = (question: Question) => snapshots?.bucketDecides(question) ?? false;
  const ask = reportingSharedBuckets(batch.ask, bucketDecides, diagnostics);
  const answers = cached(
    ask,
    { cache: settings.cache, deadlineMs, refusal: service.refusal, watch: snapshots },
    clock,
    diagnostics,
  );
  // Must be the first listener: when the others learn of a change, a resolve must return the new value already.
  diagnostics.listen('flags-changed', ({ flags }) => {
    answers.forget(flags);
  });
  if (settings.cache !== undefined) watchHitRate(diagnostics, warn);

  const hasSnapshot = () => snapshots?.snapshot() !== undefined;
  const isInProcess = settings.evaluation === 'in-process';
  const fallback = { knowsAnything: answers.knowsAnything, hasSnapshot, needsWatch: isInProcess };
  // OpenFeature announces how a start ends. An event before that would be lost, or come twice.
  let isStarting = false;
  let why = '';
  const state = watchState(diagnostics, fallback, (next, message) => {
    why = message;
    if (!isStarting) changed(next, message);
  });
  if (isInProcess) {
    // Polls at once: otherwise READY would come up to a whole interval before the changes made during the outage.
    diagnostics.listen('health-changed', ({ after, starting }) => {
      if (after.size === 0 && !starting) pollSoon();
    });
  }
  const asked = remotely(answers, settings, clock);
  const isOffline = isInProcess && settings.watch === undefined;
  const here =
    snapshots &&
    inProcess(
      {
        ...snapshots,
        isStale: (now) => state() !== 'ready' || !snapshots.isReliable(now),
        resolveUnreadable: unreadableResolver(isOffline ? undefined : asked),
      },
      settings,
      clock,
      diagnostics,
    );

  const elsewhere: Resolve = isOffline ? () => failedResolution(noSnapshot(snapshots)) : asked;
  // If the service offers no snapshots, its own answers are better than a snapshot that would stay as it is for ever.
  const isServiceBetter = () => snapshots?.isNotOffered() === true && (state() === 'ready' || !hasSnapshot());
  const resolve: Resolve = isInProcess
    ? (flag, context, view) =>
        (isServiceBetter() ? undefined : here?.resolve(flag, context, view)) ?? elsewhere(flag, context, view)
    : asked;
  const resolveAll: ResolveAll = async (context, flagKeys) =>
    isServiceBetter() ? undefined : here?.resolveAll(context, flagKeys);
  const startedStale = ({ message }: Failure) => {
    why = message;
  };
  const begin = async () => {
    isStarting = true;
    const outcome = await start({ service, snapshots, warn, startedStale }, settings, clock);
    const failure = closing.signal.aborted ? CLOSED : outcome;
    const ended = () => {
      isStarting = false;
      if (failure === undefined && state() !== 'ready' && !closing.signal.aborted) changed(state(), why);
    };
    // Waits, because the SDK must announce READY first.
    if (failure === undefined) clock.endOfTurn(ended);
    else ended();
    return failure;
  };

  const judged: Resolve = (flag, context, view) => {
    snapshots?.assess();
    return resolve(flag, context, view);
  };
  const resolving = { resolve: hasBackground ? resolve : judged, resolveAll };
  const reported = reportingResolved(resolving, diagnostics, clock);

  return {
    ...reported,
    resolveEach: async (context, flagKeys) =>
      isInProcess ? reported.resolveAll(context, flagKeys) : undefined,
    flagKeys: (context) => here?.snapshotFor(context)?.contents.keys(),
    explain: lazyExplain(snapshots, settings),
    snapshot: () => snapshots?.body(),
    isHere(flags) {
      if (!isInProcess || isOffline) return isInProcess;
      const snapshot = snapshots?.snapshot();
      if (snapshot === undefined || isServiceBetter()) return false;
      const { unreadable } = snapshot.features;
      return !unreadable?.size || flags?.some((flag) => unreadable.has(flag)) === false;
    },
    // Without a background, a start that callers share could end with the first of them. Each call asks by itself.
    start: () => (hasBackground ? outsideRequests(begin) : Promise.resolve(undefined)),
    async refresh() {
      if (closing.signal.aborted) return;
      snapshots?.assess();
      await outsideRequests(() =>
        Promise.all([hasBackground ? undefined : service.checkIfDue(), snapshots?.refresh()]),
      );
    },
    read() {
      const shedSince = overload.since();
      return {
        overloadSince: shedSince === undefined ? undefined : clock.date() - (clock.now() - shedSince),
        snapshot: snapshots?.read(),
        cache: answers.size(),
        inFlight: asking.underWay(),
        waiting: batch.waiting(),
      };
    },
    listen: diagnostics.listen,
    forget(flags) {
      answers.forget(flags);
      pollSoon('user');
    },
    async close() {
      diagnostics.report({ type: 'closed' });
      closing.abort();
      service.close(CLOSED);
      overload.close();
      batch.close(CLOSED);
      answers.forget();
      // A store that hangs must not keep connections open.
      await Promise.all([snapshots?.close(), asking.close()]);
    },
  };
}

/** Whether there may ever be a snapshot. */
function usesSnapshots({ watch, snapshot: { initial, file, store } }: ProviderSettings): boolean {
  return (watch ?? initial ?? file ?? store) !== undefined;
}
