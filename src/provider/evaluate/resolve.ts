import type {
  EvaluationContext,
  FlagValueType,
  JsonValue,
  Logger,
  ResolutionDetails,
} from '@openfeature/server-sdk';
import { harmlessly, quoted } from '../../base/text/describe.js';
import { failedResolution, type Resolution } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { toBoolean, toNumber, toObject, toText, type Translate } from '../../model/value-of-type.js';
import { UNREADABLE_CONTEXT } from '../mapping/attribute-text.js';
import { resolutionDetails } from '../mapping/details.js';
import { requestViewOf } from '../per-request/view.js';
import type { Tracking } from '../tracking/tracking.js';
import type { Resolve } from './remotely.js';

/** Never throws, and its promise never rejects: a failure is part of the resolution. */
export type Evaluate = (flagKey: string, context: EvaluationContext) => Resolution | Promise<Resolution>;

/** Callers in plain JavaScript can pass anything. */
export function checked(resolve: Resolve, begins: (context: EvaluationContext) => void): Evaluate {
  return (flagKey, context) => {
    // Flipt would reject the whole batch.
    if (!isText(flagKey)) return failedResolution(NO_FLAG_KEY);
    try {
      begins(context);
      return resolve(flagKey, context, requestViewOf(context));
    } catch {
      // The context might be missing, or a `Proxy` that throws.
      return failedResolution(UNREADABLE_CONTEXT);
    }
  };
}

/** Reports the event `resolved` once the resolution is there. */
export function reported(
  flagKey: string,
  coming: Resolution | Promise<Resolution>,
  { clock, hears, report }: Pick<Runtime, 'clock' | 'hears' | 'report'>,
): Resolution | Promise<Resolution> {
  if (!hears('resolved')) return coming;
  const since = clock.now();
  const told = (resolution: Resolution, durationMs: number): Resolution => {
    const { answer, source, stale } = resolution;
    const failure = answer.kind === 'failed' ? answer.failure.kind : undefined;
    const flag = isText(flagKey) ? flagKey : '';
    report({
      type: 'resolved',
      flag,
      source,
      stale,
      missing: answer.kind === 'missing',
      failure,
      durationMs,
    });
    return resolution;
  };
  return coming instanceof Promise
    ? coming.then((resolution) => told(resolution, clock.now() - since))
    : told(coming, 0);
}

type ResolveAs<T> = (
  flagKey: string,
  defaultValue: T,
  context: EvaluationContext,
  logger: Logger | undefined,
) => Promise<ResolutionDetails<T>>;

/** OpenFeature's resolve functions. They never reject. */
export function resolvers(
  { evaluate, exposed }: { readonly evaluate: Evaluate; readonly exposed: Tracking['exposed'] | undefined },
  namespace: string,
) {
  const resolving = <T>(type: FlagValueType, translate: Translate<T>): ResolveAs<T> => {
    const detailsIn = resolutionDetails(namespace, translate);
    // Not async, which would add a wait to the resolve of a cached answer.
    return (flagKey, defaultValue, context, logger) => {
      const detailsOf = (resolution: Resolution): ResolutionDetails<T> => {
        const details = detailsIn(resolution, flagKey, defaultValue);
        if (details.errorMessage !== undefined) debug(logger, `${nameOf(flagKey)}: ${details.errorMessage}`);
        exposed?.(flagKey, details, context, type);
        return details;
      };
      const resolution = evaluate(flagKey, context);
      return resolution instanceof Promise
        ? resolution.then(detailsOf)
        : Promise.resolve(detailsOf(resolution));
    };
  };
  return {
    boolean: resolving('boolean', toBoolean),
    string: resolving('string', toText),
    number: resolving('number', toNumber),
    object: resolving<JsonValue>('object', toObject),
  };
}

/** A warning for each resolve would fill the log in an outage, whose beginning has one of its own. */
function debug(logger: Logger | undefined, message: string): void {
  if (logger === undefined) return;
  harmlessly(() => {
    const log: (message: string) => unknown = logger.debug.bind(logger);
    return log(message);
  });
}

const NO_FLAG_KEY: Failure = { kind: 'flag-key', message: 'the flag key is not a string' };

function nameOf(flagKey: string): string {
  return isText(flagKey) ? quoted(flagKey) : 'a flag';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
