import { questionKeys, subjectReader } from '../mapping/question-key.js';
import type { CachedAnswers } from '../../remote/answers.js';
import type { GivenContext } from '../mapping/question-key.js';
import type { Clock } from '../../base/time/clock.js';
import { questionOf, failedResolution, type Resolution, type Subject } from '../../model/answer.js';
import type { ProviderSettings } from '../../options/settings.js';
import { pinning, type RequestView } from '../per-request/view.js';
import type { OddAttribute } from '../mapping/attribute-text.js';
import { isExtended } from '../mapping/extended-context.js';

/**
 * Resolves a flag for a context. If the caller need not wait for a request, a `Resolve` function returns the resolution
 * without a promise.
 */
export type Resolve = (
  flag: string,
  context: GivenContext,
  view: RequestView | undefined,
) => Resolution | Promise<Resolution>;

/**
 * Makes a function that resolves a flag in remote mode. The function looks for the answer first among the answers of
 * the context's view (one HTTP request to the app), then in the cache, and finally asks Flipt.
 */
export function remotely(
  answers: CachedAnswers,
  settings: ProviderSettings,
  clock: Clock,
  odd?: OddAttribute,
  looked?: (hasFound: boolean, subject: Subject) => void,
): Resolve {
  const { namespace, environment, reference, attributes, targetingKey } = settings;
  const keyOf = questionKeys(namespace, environment, reference);
  const subjectOf = subjectReader(attributes, targetingKey, odd);
  const pinsOf = pinning(clock);

  return (flag, context, view) => {
    const pins = pinsOf(view);
    const subject = subjectOf(context);
    if ('kind' in subject) return failedResolution(subject);
    const key = keyOf(flag, subject);
    const pinned = pins?.get(key);
    if (pinned !== undefined) return pinned;
    const fresh = answers.fresh(key);
    looked?.(fresh !== undefined, subject);
    const asked = fresh ?? answers.ask(key, questionOf(namespace, flag, subject), isExtended(context));
    if (pins === undefined) return asked;
    return asked instanceof Promise ? asked.then((later) => pins.pin(key, later)) : pins.pin(key, asked);
  };
}
