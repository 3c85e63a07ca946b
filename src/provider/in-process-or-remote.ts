import { failedResolution } from '../model/answer.js';
import type { ProviderSettings } from '../options/settings.js';
import type { Runtime } from '../runtime.js';
import { ageMsOf } from './watched-cache/snapshot-age.js';
import type { InProcess, ResolveAll } from './resolve-in-process.js';
import type { Resolve } from './resolve-remotely.js';
import type { LazySnapshotSource } from './lazy-snapshot-source.js';
import type { OddAttribute } from './mapping/context.js';
import { noSnapshot } from './start/start.js';
import type { ProviderState } from './status/provider-state.js';

interface EvaluationSources {
  /** Asks the service, or the cache. */
  readonly ask: Resolve;
  /** `undefined` if there is never one. */
  readonly snapshots: LazySnapshotSource | undefined;
  readonly state: () => ProviderState;
  readonly odd: OddAttribute;
}

/** Evaluates flags in this process or by asking the service, as the options and the snapshot allow. */
export function inProcessOrRemote(
  { ask, snapshots, state, odd }: EvaluationSources,
  settings: ProviderSettings,
  runtime: Runtime,
) {
  const isInProcess = settings.evaluation === 'in-process';
  if (snapshots === undefined) {
    const resolveAll = () => Promise.resolve(undefined);
    return { resolve: ask, resolveAll, flagKeys: () => undefined, isHere: () => false };
  }
  const { opened, snapshot, missing, isNotOffered } = snapshots;
  const isOffline = isInProcess && settings.watch === undefined;
  const source = {
    snapshot,
    ageMs: (now: number) => ageMsOf(opened(), now),
    isStale: (now: number) => state() !== 'ready' || !((opened()?.watch.lostForMs(now) ?? 0) < 0),
    missing,
    odd,
    ask: isOffline ? undefined : ask,
  };
  let loaded: InProcess | undefined;
  const here = () => (loaded ??= snapshots.inProcess()?.(source, settings, runtime));
  const elsewhere: Resolve = isOffline ? () => failedResolution(noSnapshot(snapshots)) : ask;
  // If the service offers no snapshots, its own answers are better than a snapshot that would stay as it is for ever.
  const isServiceBetter = () => isNotOffered() && (state() === 'ready' || snapshot() === undefined);
  const resolveAll: ResolveAll = async (context, flagKeys) =>
    isServiceBetter() ? undefined : here()?.resolveAll(context, flagKeys);
  const resolve: Resolve = (flag, context, view) =>
    (isServiceBetter() ? undefined : here()?.resolve(flag, context, view)) ?? elsewhere(flag, context, view);

  return {
    resolve: isInProcess ? resolve : ask,
    resolveAll,
    /** The keys of all flags in the snapshot, or in that of the context's view; `undefined` while there is none. */
    flagKeys: (context: object): Iterable<string> | undefined => here()?.snapshotFor(context)?.keys().keys(),
    /** Whether these flags, by default all, are evaluated in this process at present. */
    isHere(flags?: readonly string[]): boolean {
      if (!isInProcess || isOffline) return isInProcess;
      const inForce = snapshot();
      if (inForce === undefined || isServiceBetter()) return false;
      const { unreadable } = inForce.features;
      return !unreadable?.size || flags?.some((flag) => unreadable.has(flag)) === false;
    },
  };
}
