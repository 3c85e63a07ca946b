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

/** The arguments of a resolve. */
type Asked<T> = [flagKey: string, defaultValue: T, context: EvaluationContext, logger: Logger | undefined];
type ResolveAs<T> = (...asked: Asked<T>) => Promise<ResolutionDetails<T>>;
type Detailed<T> = (resolution: Resolution, ...asked: Asked<T>) => ResolutionDetails<T>;

/** Holds a function for each type of value. The promises never reject, because the details hold the failure. */
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
    // This function is not async, because a cached answer must not wait for another turn of the event loop.
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
 * Logs a failure at the level `debug`, because warnings of a lasting failure would fill the log. The provider's own
 * logger warns of it once.
 */
function debug(logger: Logger, message: string): void {
  // OpenFeature's own loggers do not throw, but any code can call a provider with a logger of its own.
  harmlessly(() => {
    const log: (message: string) => unknown = logger.debug.bind(logger);
    return log(message);
  });
}
