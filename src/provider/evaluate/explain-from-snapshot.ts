import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Explanation } from '../../engine/explain/explanation.js';
import type { Failure } from '../../model/failure.js';
import { questionOf } from '../../model/question.js';
import type { ProviderSettings } from '../../options/settings.js';
import { messageOf } from '../../text/describe.js';
import { errorOf } from '../mapping/openfeature-errors.js';
import { subjectReader } from '../mapping/context-failures.js';
import type { Snapshots } from '../lazy-snapshots.js';

/**
 * Explains from the newest snapshot why a flag has its value for a context. Rejects with an error of OpenFeature's if
 * nothing can be explained.
 */
export function explaining(
  snapshots: Snapshots | undefined,
  { namespace, attributes, targetingKey, watch }: ProviderSettings,
) {
  const subjectOf = subjectReader(attributes, targetingKey);
  return async (flagKey: string, context: EvaluationContext): Promise<Explanation> => {
    const subject = subjectOf(context);
    if ('kind' in subject) throw errorOf(subject);
    const question = questionOf(namespace, flagKey, subject);
    const opened = await snapshots?.withSnapshot();
    const explanation = await opened?.explain(question).catch(throwDefect);
    if (explanation === undefined) throw errorOf(watch === undefined ? UNWATCHED : NONE_YET);
    return explanation;
  };
}

/** The code is loaded on first use. Node's error has a code of its own, which the SDK must not take for OpenFeature's. */
function throwDefect(error: unknown): never {
  throw errorOf({ kind: 'defect', message: `explain: its code cannot be loaded: ${messageOf(error)}` });
}

const UNWATCHED: Failure = {
  kind: 'no-snapshot',
  message:
    'explain: there is no snapshot to explain from, since nothing is watched (watch: false, or a reference): ' +
    'leave the watch on, or give a snapshot (snapshot.initial)',
};

const NONE_YET: Failure = {
  kind: 'no-snapshot',
  message:
    'explain: there is no snapshot to explain from: register the provider and wait until it is ready; ' +
    'if Flipt cannot be reached or offers no snapshots, a line of the log says so',
};
