import { questionKeys, subjectReader } from '../mapping/question-key.js';
import type { Entry } from '../../remote/cache/answer-store.js';
import type { CachedAnswers } from '../../remote/cache/cached-answers.js';
import { rememberingQuestions, type GivenContext } from '../../remote/cache/recall.js';
import type { Clock } from '../../base/time/clock.js';
import { questionOf, failedResolution, type Resolution } from '../../model/answer.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { AttributesMissing } from '../diagnostics/attributes-missing.js';
import { pinning, type Pins, type RequestView } from '../per-request/view.js';
import { selector, type OddAttribute } from '../mapping/attribute-text.js';
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
  observer?: Pick<AttributesMissing, 'resolved'>,
): Resolve {
  const { namespace, environment, reference, attributes, targetingKey } = settings;
  const keyOf = questionKeys(namespace, environment, reference);
  const questionFrom = rememberingQuestions(selector(attributes));
  const subjectOf = subjectReader(attributes, targetingKey, odd);
  const pinsOf = pinning(clock);

  const answeredBefore = (
    key: string,
    entry: Entry | undefined,
    pins: Pins | undefined,
  ): Resolution | undefined => {
    const pinned = pins?.get(key);
    if (pinned !== undefined) return pinned;
    const resolution = entry && answers.fresh(entry);
    return resolution && pins ? pins.pin(key, resolution) : resolution;
  };

  return (flag, context, view) => {
    const pins = pinsOf(view);
    const recalled = answers.store?.recall(flag, context);
    const again = recalled && answeredBefore(recalled.key, recalled, pins);
    if (again !== undefined) return again;

    const subject = subjectOf(context);
    if ('kind' in subject) return failedResolution(subject);
    // If `recall` has found a usable answer, the function has already returned, and `observer` does not count the
    // resolve.
    observer?.resolved(flag, () => subject.names, context);
    const key = keyOf(flag, subject);
    const entry = answers.store?.peek(key);
    const resolution = answeredBefore(key, entry, pins);
    if (resolution !== undefined) {
      if (entry !== undefined) answers.store?.remember(entry, () => questionFrom(context));
      return resolution;
    }
    const asked = answers.ask(key, questionOf(namespace, flag, subject), isExtended(context));
    if (pins === undefined) return asked;
    return asked instanceof Promise ? asked.then((later) => pins.pin(key, later)) : pins.pin(key, asked);
  };
}
