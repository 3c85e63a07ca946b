import type { Explanation } from '../../engine/explain/explanation.js';
import type { Failure } from '../../model/failure.js';
import { questionOf } from '../../model/question.js';
import type { ProviderSettings } from '../../options/settings.js';
import { subjectReader } from '../mapping/subject.js';
import type { Snapshots } from '../snapshots.js';

/** Why a flag has its value for a context, or the failure that prevents an explanation. Never rejects. */
export type Explain = (flag: string, context: object) => Promise<Explanation | Failure>;

/** Explains from the newest snapshot. */
export function explaining(
  snapshots: Snapshots | undefined,
  { namespace, attributes, targetingKey, watch }: ProviderSettings,
): Explain {
  const subjectOf = subjectReader(attributes, targetingKey);
  return async (flag, context) => {
    const subject = subjectOf(context);
    if ('kind' in subject) return subject;
    const question = questionOf(namespace, flag, subject);
    return (await snapshots?.explain(question)) ?? (watch === undefined ? UNWATCHED : NONE_YET);
  };
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
