import { subjectReader } from '../mapping/question-key.js';
import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Explanation } from '../../engine/explanation.js';
import { questionOf } from '../../model/answer.js';
import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';
import type { ProviderSettings } from '../../options/settings.js';
import { errorOf } from '../mapping/openfeature-errors.js';
import type { ProviderSnapshots } from '../snapshots/provider-snapshots.js';

/**
 * Explains from the newest snapshot why a flag has its value for a context. If there is no snapshot yet, the function
 * waits at most `deadlineMs` for one. The promise rejects with an error of OpenFeature if the context cannot be used,
 * or if there is no snapshot.
 */
export async function explainFromSnapshot(
  snapshots: ProviderSnapshots | undefined,
  { namespace, attributes, targetingKey, watch, deadlineMs }: ProviderSettings,
  flagKey: string,
  context: EvaluationContext,
  clock: Clock,
): Promise<Explanation> {
  const subject = subjectReader(attributes, targetingKey)(context);
  if ('kind' in subject) throw errorOf(subject);
  const question = questionOf(namespace, flagKey, subject);
  if (snapshots !== undefined) await orLate(snapshots.withSnapshot(), deadlineMs, clock);
  const explanation = snapshots?.opened().explain(question);
  if (explanation === undefined)
    throw errorOf({ kind: 'no-snapshot', message: watch === undefined ? UNWATCHED : NONE_YET });
  return explanation;
}

const UNWATCHED =
  'explain: there is no snapshot to explain from, because the provider does not watch Flipt (watch: false, or ' +
  'a reference): leave the watch on, or give a snapshot (snapshot.initial)';

const NONE_YET =
  'explain: there is no snapshot to explain from: register the provider and wait until it is ready; ' +
  'if Flipt cannot be reached or offers no snapshots, a line of the log says so';
