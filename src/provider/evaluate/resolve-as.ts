import type { EvaluationContext, FlagValueType, Logger, ResolutionDetails } from '@openfeature/server-sdk';
import type { Resolution } from '../../model/answer.js';
import { harmlessly } from '../../text/describe.js';
import { resolutionDetails } from '../mapping/details.js';
import { toNumber, toBoolean, toObject, toText, type Translate } from '../../values/value-of-type.js';
import { nameOf, type EvaluateFlag } from './evaluate-flag.js';

/** Resolves a flag to a value of one type. Never rejects: the details hold the failure. */
export type ResolveAs<T> = (
  flagKey: string,
  defaultValue: T,
  context: EvaluationContext,
  logger: Logger | undefined,
) => Promise<ResolutionDetails<T>>;

/** A caller gets these details. */
export type Exposed = (
  flagKey: string,
  details: ResolutionDetails<unknown>,
  context: EvaluationContext,
) => void;

/** Not async, because a cached answer must not wait for a turn of the event loop. */
export function resolving<T>(
  evaluate: EvaluateFlag,
  { namespace }: { readonly namespace: string },
  translate: Translate<T>,
  exposed?: Exposed,
): ResolveAs<T> {
  const detailsIn = resolutionDetails(namespace, translate);
  const detailsOf = (
    resolution: Resolution,
    flagKey: string,
    defaultValue: T,
    context: EvaluationContext,
    logger: Logger | undefined,
  ) => {
    const details = detailsIn(resolution, flagKey, defaultValue);
    // Not a warning, because a lasting failure would fill the log. The provider's own logger warns of it once.
    if (details.errorMessage !== undefined && logger !== undefined) {
      const message = `${nameOf(flagKey)}: ${details.errorMessage}`;
      // OpenFeature's own loggers do no harm, but any code may call a provider.
      harmlessly(() => {
        const debug: (message: string) => unknown = logger.debug.bind(logger);
        return debug(message);
      });
    }
    exposed?.(flagKey, details, context);
    return details;
  };
  return (flagKey, defaultValue, context, logger) => {
    const resolution = evaluate(flagKey, context);
    return resolution instanceof Promise
      ? resolution.then((later) => detailsOf(later, flagKey, defaultValue, context, logger))
      : Promise.resolve(detailsOf(resolution, flagKey, defaultValue, context, logger));
  };
}

/** A function for each type of value. `exposedAs` gives what learns of the details that a caller gets. */
export function resolvers(
  {
    evaluate,
    exposedAs,
  }: { readonly evaluate: EvaluateFlag; readonly exposedAs: (type: FlagValueType) => Exposed | undefined },
  settings: { readonly namespace: string },
) {
  return {
    boolean: resolving(evaluate, settings, toBoolean, exposedAs('boolean')),
    string: resolving(evaluate, settings, toText, exposedAs('string')),
    number: resolving(evaluate, settings, toNumber, exposedAs('number')),
    object: resolving(evaluate, settings, toObject, exposedAs('object')),
  };
}
