import type { EvaluationContext } from '@openfeature/server-sdk';
import { outsideRequests } from '../../base/time/background-work.js';
import { orLate } from '../../base/time/in-time.js';
import type { Explanation } from '../../engine/explanation.js';
import { failedResolution, questionOf } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { SnapshotSource } from '../../snapshot/source.js';
import type { OddAttribute } from '../mapping/attribute-text.js';
import { errorOf } from '../mapping/openfeature-errors.js';
import { subjectReader } from '../mapping/question-key.js';
import { prefetchingFirst } from '../per-request/transaction-context.js';
import type { Resolve } from './ask.js';
import { evaluatingHere } from './here.js';
import type { ManySource } from './many.js';
import { checked, reportResolved, reporting } from './resolve.js';

interface Ways {
  /** `undefined` if the options allow no snapshot. */
  readonly source: SnapshotSource | undefined;
  readonly ask: Resolve;
  readonly odd: OddAttribute;
  /** No problem is known. */
  readonly isWell: () => boolean;
  readonly isServiceWell: () => boolean;
  /** Why there is nothing to evaluate from, in offline mode. */
  readonly noSnapshot: () => Failure;
}

/** Chooses for each flag whether it is evaluated here, from the snapshot, or asked of Flipt. */
export function choosing(
  { source, ask, odd, isWell, isServiceWell, noSnapshot }: Ways,
  settings: ProviderSettings,
  runtime: Runtime,
) {
  const { deadlineMs, namespace, attributes, targetingKey, watch } = settings;
  const { clock, hears } = runtime;
  const isInProcess = settings.evaluation === 'in-process';
  const isOffline = isInProcess && watch === undefined;
  const here = source && evaluatingHere(source, isOffline ? undefined : ask, isWell, settings, odd, runtime);
  const elsewhere: Resolve = isOffline ? () => failedResolution(noSnapshot()) : ask;
  // If Flipt offers no snapshots, its answers are better than a saved snapshot that polls do not update.
  const isServiceBetter = () =>
    source?.poller.isNotOffered() === true && (isServiceWell() || source.snapshot() === undefined);
  const resolveHere: Resolve = (...asked) =>
    (isServiceBetter() ? undefined : here?.resolve(...asked)) ?? elsewhere(...asked);
  const resolve = isInProcess ? resolveHere : ask;

  /** Whether these flags, or all, are evaluated here at present. */
  const isHere = (flags?: readonly string[]): boolean => {
    if (!isInProcess || isOffline) return isInProcess;
    const snapshot = source?.snapshot();
    if (snapshot === undefined || isServiceBetter()) return false;
    const { foundUnreadable: unreadable } = snapshot.flags;
    return unreadable.size === 0 || flags?.some((flag) => unreadable.has(flag)) === false;
  };
  const ahead = checked(resolve, () => undefined);
  const prefetch = async (flagKeys: readonly string[], context: EvaluationContext): Promise<void> => {
    const asked = flagKeys.filter((flagKey) => !isHere([flagKey]));
    await Promise.all(asked.map(async (flagKey) => ahead(flagKey, context)));
  };
  const untilSnapshot = async (): Promise<void> => {
    if (source === undefined || source.snapshot() !== undefined) return;
    await orLate(
      outsideRequests(() => source.polled()),
      deadlineMs,
      clock,
    );
  };
  const resolveAll: ManySource['resolveAll'] = async (context, flagKeys) => {
    const since = clock.now();
    const all = isServiceBetter() ? undefined : await here?.resolveAll(context, flagKeys);
    if (!hears('resolved') || all === undefined || 'kind' in all) return all;
    const waitedMs = clock.now() - since;
    for (const [flag, resolution] of all)
      reportResolved(flag, resolution, resolution.source === 'service' ? waitedMs : 0, runtime);
    return all;
  };
  const many: ManySource = {
    resolveAll,
    resolveEach: isInProcess ? resolveAll : () => Promise.resolve(undefined),
    evaluate: reporting(checked(resolve, prefetchingFirst(prefetch)), runtime),
    untilSnapshot,
    flagKeys: (context) => here?.flagKeys(context),
  };
  const subjectOf = subjectReader(attributes, targetingKey);

  return {
    evaluate: many.evaluate,
    many,
    isHere,
    prefetch,
    async explain(flagKey: string, context: EvaluationContext): Promise<Explanation> {
      const subject = subjectOf(context);
      if ('kind' in subject) throw errorOf(subject);
      if (source !== undefined && source.snapshot() === undefined)
        await orLate(
          outsideRequests(() => source.poller.pollNext()),
          deadlineMs,
          clock,
        );
      const explanation = source?.explain(questionOf(namespace, flagKey, subject));
      if (explanation !== undefined) return explanation;
      throw errorOf({ kind: 'no-snapshot', message: watch === undefined ? UNWATCHED : NONE_YET });
    },
  };
}

const UNWATCHED =
  'explain: there is no snapshot to explain from, because the provider does not watch Flipt (watch: false, or ' +
  'a reference): leave the watch on, or give a snapshot (snapshot.initial)';

const NONE_YET =
  'explain: there is no snapshot to explain from: register the provider and wait until it is ready; ' +
  'if Flipt cannot be reached or offers no snapshots, a line of the log says so';
