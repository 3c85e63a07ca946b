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
import type { Resolve } from './remotely.js';
import { evaluatingHere } from './here.js';
import { evaluatingMany } from './many.js';
import { checked, reported, type Evaluate } from './resolve.js';

interface Ways {
  /** `undefined` if the options allow no snapshot. */
  readonly source: SnapshotSource | undefined;
  readonly remotely: Resolve;
  readonly odd: OddAttribute;
  /** No problem is known. */
  readonly isWell: () => boolean;
  readonly isServiceWell: () => boolean;
  /** Why there is nothing to evaluate from, in offline mode. */
  readonly noSnapshot: () => Failure;
}

/** Chooses for each flag whether it is evaluated here, from the snapshot, or asked of Flipt. */
export function choosing(
  { source, remotely, odd, isWell, isServiceWell, noSnapshot }: Ways,
  settings: ProviderSettings,
  runtime: Runtime,
) {
  const { deadlineMs, namespace, attributes, targetingKey, watch } = settings;
  const isInProcess = settings.evaluation === 'in-process';
  const isOffline = isInProcess && watch === undefined;
  const here =
    source && evaluatingHere(source, isOffline ? undefined : remotely, isWell, settings, odd, runtime);
  const elsewhere: Resolve = isOffline ? () => failedResolution(noSnapshot()) : remotely;
  // If Flipt offers no snapshots, its answers are better than a saved snapshot that polls do not update.
  const isServiceBetter = () =>
    source?.poller.isNotOffered() === true && (isServiceWell() || source.snapshot() === undefined);
  const resolve: Resolve = (flag, context, view) => {
    const flags = isInProcess && !isServiceBetter() ? here?.(context, view) : undefined;
    return flags?.resolve(flag) ?? elsewhere(flag, context, view);
  };

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
  const begun = checked(resolve, prefetchingFirst(prefetch));
  const evaluate: Evaluate = (flagKey, context) => reported(flagKey, begun(flagKey, context), runtime);
  const untilSnapshot = async (poll: (of: SnapshotSource) => Promise<void>): Promise<void> => {
    if (source === undefined || source.snapshot() !== undefined) return;
    await orLate(
      outsideRequests(() => poll(source)),
      deadlineMs,
      runtime.clock,
    );
  };
  const subjectOf = subjectReader(attributes, targetingKey);

  return {
    evaluate,
    ...evaluatingMany(
      {
        evaluate,
        here,
        isInProcess,
        isServiceBetter,
        untilSnapshot: () => untilSnapshot((opened) => opened.polled()),
      },
      runtime,
    ),
    isHere,
    prefetch,
    async explain(flagKey: string, context: EvaluationContext): Promise<Explanation> {
      const subject = subjectOf(context);
      if ('kind' in subject) throw errorOf(subject);
      await untilSnapshot(({ poller }) => poller.pollNext());
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
