import { isSplit, questionOf, failedResolution, type Ask, type Resolution } from '../../model/answer.js';
import type { Runtime } from '../../model/runtime.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { CachedAnswers } from '../../remote/answers.js';
import type { OddAttribute } from '../mapping/attribute-text.js';
import { isExtended } from '../mapping/extended-context.js';
import { questionKeys, subjectReader, type GivenContext } from '../mapping/question-key.js';
import { pinning, type RequestView } from '../per-request/view.js';

/** Without a promise if the caller need not wait. Never rejects, but throws if the context cannot be read at all. */
export type Resolve = (
  flag: string,
  context: GivenContext,
  view: RequestView | undefined,
) => Resolution | Promise<Resolution>;

/** Looks among the answers of the context's view, then in the cache, and finally asks Flipt. */
export function resolvingRemotely(
  answers: Pick<CachedAnswers, 'fresh' | 'resolve'>,
  settings: ProviderSettings,
  odd: OddAttribute,
  { clock }: Pick<Runtime, 'clock'>,
): Resolve {
  const { namespace, environment, reference, attributes, targetingKey } = settings;
  const keyOf = questionKeys(namespace, environment, reference);
  const subjectOf = subjectReader(attributes, targetingKey, odd);
  const pinsOf = pinning(clock);

  return (flag, context, view) => {
    const subject = subjectOf(context);
    if ('kind' in subject) return failedResolution(subject);
    const key = keyOf(flag, subject);
    const pins = pinsOf(view);
    const known = pins?.get(key) ?? answers.fresh(key);
    const asked = known ?? answers.resolve(key, questionOf(namespace, flag, subject), isExtended(context));
    if (pins === undefined) return asked;
    return asked instanceof Promise ? asked.then((later) => pins.pin(key, later)) : pins.pin(key, asked);
  };
}

/** Reports `bucket-shared` when a rollout by percentage decided for a question without an entity id. */
export function reportingBuckets(ask: Ask, { report }: Pick<Runtime, 'report'>): Ask {
  return async (question, until) => {
    const answer = await ask(question, until);
    if (question.entity === '' && isSplit(answer)) report({ type: 'bucket-shared', flag: question.flag });
    return answer;
  };
}
