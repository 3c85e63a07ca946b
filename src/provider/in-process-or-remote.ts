import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Explanation } from '../engine/explain/explanation.js';
import type { CachedAnswers } from '../cache/cached-answers.js';
import { failedResolution } from '../model/answer.js';
import type { ProviderSettings } from '../options/settings.js';
import type { Runtime } from '../runtime.js';
import { orLate } from '../time/in-time.js';
import { checkedEvaluation, reporting } from './evaluate/evaluate-flag.js';
import { explainFromSnapshot } from './evaluate/explain-from-snapshot.js';
import { inProcess, type ResolveAll } from './resolve-in-process.js';
import { remotely, type Resolve } from './resolve-remotely.js';
import type { ProviderSnapshots } from './provider-snapshots.js';
import { oddAttributeWarning } from './mapping/context.js';
import { noSnapshot } from './start/start.js';
import type { ProviderState } from './status/derive-state.js';

/**
 * Evaluates flags in this process or by asking the service, as the options and the snapshot allow. `snapshots` are
 * `undefined` if there is never one.
 */
export function inProcessOrRemote(
  answers: CachedAnswers,
  snapshots: ProviderSnapshots | undefined,
  state: () => ProviderState,
  settings: ProviderSettings,
  runtime: Runtime,
) {
  const { deadlineMs } = settings;
  const { clock } = runtime;
  const odd = oddAttributeWarning(settings.logger);
  const ask = remotely(answers, settings, clock, odd);
  const isInProcess = settings.evaluation === 'in-process';
  const isOffline = isInProcess && settings.watch === undefined;
  const snapshot = () => snapshots?.snapshot();
  const watch = () => snapshots?.opened()?.watch;
  const source = {
    snapshot,
    ageMs: (now: number) => watch()?.ageMs(now) ?? Infinity,
    isStale: (now: number) => state() !== 'ready' || !((watch()?.lostForMs(now) ?? 0) < 0),
    missing: (flag: string) => snapshots?.missing(flag),
    odd,
    ask: isOffline ? undefined : ask,
  };
  const here = inProcess(source, settings, runtime);
  const elsewhere: Resolve = isOffline ? () => failedResolution(noSnapshot(snapshots)) : ask;
  // If the service offers no snapshots, its own answers are better than a snapshot that would stay as it is for ever.
  const isServiceBetter = () =>
    snapshots?.isNotOffered() === true && (state() === 'ready' || snapshot() === undefined);
  const resolveHere: Resolve = (flag, context, view) =>
    (isServiceBetter() ? undefined : here.resolve(flag, context, view)) ?? elsewhere(flag, context, view);
  const resolve = isInProcess ? resolveHere : ask;
  const { beforeCall } = snapshots ?? {};
  const prepared: Resolve = (flag, context, view) => {
    beforeCall?.();
    return resolve(flag, context, view);
  };
  const evaluateAhead = checkedEvaluation(beforeCall ? prepared : resolve);
  const resolveAll: ResolveAll = async (context, flagKeys) =>
    isServiceBetter() ? undefined : here.resolveAll(context, flagKeys);
  const reports = reporting(runtime);
  const reported = reports.together(resolveAll);

  return {
    deadlineMs,
    evaluate: reports.evaluation(evaluateAhead),
    /** The same without reports, for questions whose answers nobody waits for yet. */
    evaluateAhead,
    resolveAll: reported,
    /** As `resolveAll`, as long as flags are evaluated in this process; otherwise `undefined`. */
    resolveEach: isInProcess ? reported : () => Promise.resolve(undefined),
    /** The keys of all flags in the snapshot, or in that of the context's view; `undefined` while there is none. */
    flagKeys: (context: object): Iterable<string> | undefined => here.snapshotFor(context)?.keys().keys(),
    /** Whether these flags, by default all, are evaluated in this process at present. */
    isHere(flags?: readonly string[]): boolean {
      if (!isInProcess || isOffline) return isInProcess;
      const inForce = snapshot();
      if (inForce === undefined || isServiceBetter()) return false;
      const { unreadable } = inForce.features;
      return unreadable.size === 0 || flags?.some((flag) => unreadable.has(flag)) === false;
    },
    /** Waits for the first poll, until the deadline, if there is no snapshot yet. Never rejects. */
    untilSnapshot: async () => {
      if (snapshots !== undefined && snapshot() === undefined)
        await orLate(snapshots.firstPoll, deadlineMs, clock);
    },
    explain(flagKey: string, context: EvaluationContext): Promise<Explanation> {
      return explainFromSnapshot(snapshots, settings, flagKey, context, clock);
    },
  };
}
