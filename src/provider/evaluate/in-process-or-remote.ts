import { failedResolution } from '../../model/answer.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import { orLate } from '../../base/time/in-time.js';
import { checkedEvaluation, reporting } from './evaluate-flag.js';
import { explainFromSnapshot } from './explain-from-snapshot.js';
import { inProcess, type ResolveAll } from './resolve-in-process.js';
import type { Resolve } from './resolve-remotely.js';
import type { ProviderSnapshots } from '../snapshots/provider-snapshots.js';
import type { OddAttribute } from '../mapping/attribute-text.js';
import { prefetchingFirst } from '../per-request/transaction-context.js';
import type { Evaluations } from '../pipeline.js';
import { noSnapshot } from '../start.js';
import type { StateFollower } from '../status/provider-state.js';

/** The functions that evaluation needs besides the snapshot, above all `ask`, which sends a question to Flipt. */
interface WayToAsk {
  readonly ask: Resolve;
  /**
   * The provider calls this function with the name of an attribute whose object JSON writes as `{}` or as a text in
   * quotes, such as a `Map`.
   */
  readonly odd: OddAttribute;
}

/**
 * Makes the provider's functions that evaluate flags. The options and the snapshot decide whether a flag is evaluated
 * in this process or by Flipt. `snapshots` is `undefined` if the options allow no snapshot.
 */
export function inProcessOrRemote(
  { ask, odd }: WayToAsk,
  snapshots: ProviderSnapshots | undefined,
  providerState: Pick<StateFollower, 'state'>,
  settings: ProviderSettings,
  runtime: Runtime,
): Evaluations {
  const { deadlineMs } = settings;
  const { clock } = runtime;
  const isInProcess = settings.evaluation === 'in-process';
  const isOffline = isInProcess && settings.watch === undefined;
  const snapshot = () => snapshots?.snapshot();
  const watch = () => snapshots?.opened();
  const source = {
    snapshot,
    used: (now: number) => watch()?.used(now),
    ageMs: (now: number) => watch()?.ageMs(now) ?? Infinity,
    isStale: (now: number) => providerState.state() !== 'ready' || !((watch()?.lostForMs(now) ?? 0) < 0),
    missing: (flag: string) => snapshots?.missing(flag),
    odd,
    ask: isOffline ? undefined : ask,
  };
  const here = inProcess(source, settings, runtime);
  const elsewhere: Resolve = isOffline ? () => failedResolution(noSnapshot(snapshots)) : ask;
  // If Flipt offers no snapshots, Flipt's answers are better than a saved snapshot that polls do not update.
  const isServiceBetter = () =>
    snapshots?.isNotOffered() === true && (providerState.state() === 'ready' || snapshot() === undefined);
  const resolveHere: Resolve = (flag, context, view) =>
    (isServiceBetter() ? undefined : here.resolve(flag, context, view)) ?? elsewhere(flag, context, view);
  const resolve = isInProcess ? resolveHere : ask;
  const evaluateAhead = checkedEvaluation(resolve);
  const resolveAll: ResolveAll = async (context, flagKeys) =>
    isServiceBetter() ? undefined : here.resolveAll(context, flagKeys);
  const isHere = (flags?: readonly string[]): boolean => {
    if (!isInProcess || isOffline) return isInProcess;
    const inForce = snapshot();
    if (inForce === undefined || isServiceBetter()) return false;
    const { foundUnreadable: unreadable } = inForce.flags;
    return unreadable.size === 0 || flags?.some((flag) => unreadable.has(flag)) === false;
  };
  const prefetch: Evaluations['prefetch'] = async (flagKeys, context) => {
    const asked = flagKeys.filter((flagKey) => !isHere([flagKey]));
    await Promise.all(asked.map(async (flagKey) => evaluateAhead(flagKey, context)));
  };
  const reports = reporting(runtime);
  const reported = reports.together(resolveAll);

  return {
    deadlineMs,
    evaluate: reports.evaluation(checkedEvaluation(resolve, prefetchingFirst(prefetch))),
    resolveAll: reported,
    resolveEach: isInProcess ? reported : () => Promise.resolve(undefined),
    flagKeys: (context) => here.snapshotFor(context)?.flags.keys().keys(),
    isHere,
    async untilSnapshot() {
      if (snapshots !== undefined && snapshot() === undefined)
        await orLate(snapshots.firstSnapshot(), deadlineMs, clock);
    },
    prefetch,
    explain: (flagKey, context) => explainFromSnapshot(snapshots, settings, flagKey, context, clock),
  };
}
