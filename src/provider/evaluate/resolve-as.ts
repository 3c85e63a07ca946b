import type {
  EvaluationContext,
  FlagValueType,
  JsonValue,
  Logger,
  ResolutionDetails,
} from '@openfeature/server-sdk';
import type { Resolution } from '../../model/answer.js';
import { harmlessly } from '../../base/text/describe.js';
import { resolutionDetails } from '../mapping/details.js';
import { toNumber, toBoolean, toObject, toText, type Translate } from '../../model/value-of-type.js';
import type { Lifecycle } from '../lifecycle.js';
import { nameOf } from './evaluate-flag.js';

/** The arguments of one call that resolves a flag. */
type Asked<T> = [flagKey: string, defaultValue: T, context: EvaluationContext, logger: Logger | undefined];
type ResolveAs<T> = (...asked: Asked<T>) => Promise<ResolutionDetails<T>>;
type Detailed<T> = (resolution: Resolution, ...asked: Asked<T>) => ResolutionDetails<T>;

/**
 * Has a resolve function for each type of value. The promise of a resolve function never rejects, because a failure is
 * part of the resolution details.
 */
export interface Resolvers {
  readonly boolean: ResolveAs<boolean>;
  readonly string: ResolveAs<string>;
  readonly number: ResolveAs<number>;
  readonly object: ResolveAs<JsonValue>;
}

export function resolvers(
  { evaluate, exposed }: Pick<Lifecycle, 'evaluate' | 'exposed'>,
  namespace: string,
): Resolvers {
  const resolving = <T>(type: FlagValueType, translate: Translate<T>) => {
    const detailsIn = resolutionDetails(namespace, translate);
    const detailsOf: Detailed<T> = (resolution, flagKey, defaultValue, context, logger) => {
      const details = detailsIn(resolution, flagKey, defaultValue);
      if (details.errorMessage !== undefined && logger !== undefined) {
        debug(logger, `${nameOf(flagKey)}: ${details.errorMessage}`);
      }
      exposed?.(flagKey, details, context, type);
      return details;
    };
    // This function is not async, so that it adds no wait to the resolve of a cached answer.
    const resolve: ResolveAs<T> = (flagKey, defaultValue, context, logger) => {
      const resolution = evaluate(flagKey, context);
      return resolution instanceof Promise
        ? resolution.then((later) => detailsOf(later, flagKey, defaultValue, context, logger))
        : Promise.resolve(detailsOf(resolution, flagKey, defaultValue, context, logger));
    };
    return resolve;
  };
  return {
    boolean: resolving('boolean', toBoolean),
    string: resolving('string', toText),
    number: resolving('number', toNumber),
    object: resolving('object', toObject),
  };
}

/**
 * Logs a failure of a resolve at the level `debug`, because a warning for each resolve would fill the log in an outage.
 * The provider itself logs one warning when an outage begins.
 */
function debug(logger: Logger, message: string): void {
  // OpenFeature's own loggers do not throw, but other code can call the provider with a logger that throws.
  harmlessly(() => {
    const log: (message: string) => unknown = logger.debug.bind(logger);
    return log(message);
  });
}
