import type { EvaluationContext } from '@openfeature/server-sdk';
import { failedResolution, type Resolution } from '../../model/resolution.js';
import { requestViewOf } from '../../request/view.js';
import { isText, NO_FLAG_KEY } from '../flag-keys.js';
import { UNREADABLE_CONTEXT } from '../mapping/subject.js';
import type { Failure } from '../../model/failure.js';
import { CLOSED, type Running } from '../pipeline.js';

/** Never throws or rejects: the resolution holds the failure. */
export type EvaluateFlag = (flagKey: string, context: EvaluationContext) => Resolution | Promise<Resolution>;

/**
 * Evaluates flags in the current life of the provider, or in the part of it that is given. Checks the arguments, because
 * plain JavaScript may pass anything.
 */
export function evaluating(
  current: () => Pick<Running, 'resolve' | 'refused'> | undefined,
  refusal: () => Failure = () => CLOSED,
): EvaluateFlag {
  return (flagKey, context) => {
    const running = current();
    if (running === undefined) return failedResolution(refusal());
    // A key that is not a string would spoil its batch.
    if (!isText(flagKey)) return running.refused(NO_FLAG_KEY);
    try {
      return running.resolve(flagKey, context, requestViewOf(context));
    } catch {
      // The context may be missing, or a proxy that throws.
      return running.refused(UNREADABLE_CONTEXT, flagKey);
    }
  };
}
