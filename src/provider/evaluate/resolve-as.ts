import type { EvaluationContext, Logger, ResolutionDetails } from '@openfeature/server-sdk';
import type { Resolution } from '../../model/resolution.js';
import { nameOf } from '../flag-keys.js';
import { resolutionDetails } from '../mapping/details.js';
import type { Translate } from '../mapping/value-of-type.js';
import type { EvaluateFlag } from './evaluate-flag.js';

/** Resolves a flag to a value of one type. Never rejects: the details hold the failure. */
export type ResolveAs<T> = (
  flagKey: string,
  defaultValue: T,
  context: EvaluationContext,
  logger: Logger | undefined,
) => Promise<ResolutionDetails<T>>;

/** Not async, because a cached answer must not wait for a turn of the event loop. */
export function resolving<T>(
  evaluate: EvaluateFlag,
  { namespace }: { readonly namespace: string },
  translate: Translate<T>,
): ResolveAs<T> {
  const detailsIn = resolutionDetails(namespace, translate);
  const detailsOf = (
    resolution: Resolution,
    flagKey: string,
    defaultValue: T,
    logger: Logger | undefined,
  ) => {
    const details = detailsIn(resolution, flagKey, defaultValue);
    // Not a warning, because a lasting failure would fill the log. The provider's own logger warns of it once.
    if (details.errorMessage !== undefined) logger?.debug(`${nameOf(flagKey)}: ${details.errorMessage}`);
    return details;
  };
  return (flagKey, defaultValue, context, logger) => {
    const resolution = evaluate(flagKey, context);
    return resolution instanceof Promise
      ? resolution.then((later) => detailsOf(later, flagKey, defaultValue, logger))
      : Promise.resolve(detailsOf(resolution, flagKey, defaultValue, logger));
  };
}
