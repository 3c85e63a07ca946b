import { GeneralError, type ErrorCode, type EvaluationContext } from '@openfeature/server-sdk';
import type { Clock } from '../../time/clock.js';
import { pausing } from '../../time/pausable-steps.js';
import { checkFlagKeys, kindReturned } from '../../text/describe.js';
import type { Answer } from '../../model/answer.js';
import { errorCodeOf } from '../mapping/openfeature-errors.js';
import { reasonWithoutVariant, serviceReasonOf } from '../mapping/details.js';
import type { ResolveAll } from '../resolve-in-process.js';
import { hasAttachment } from '../../values/value-of-type.js';
import { resolveMany, type FlagsSource } from './resolve-many.js';

/**
 * The outcome of one flag, as `evaluateEach` returns it: what the service has decided. It is the same whether the
 * answer comes from the cache or from the service.
 */
export type FlagOutcome =
  | {
      /** A boolean flag. */
      readonly type: 'boolean';
      /** Whether it is on. */
      readonly value: boolean;
      /** OpenFeature's reason, never `CACHED` or `STALE`. */
      readonly reason: string;
    }
  | {
      /** A variant flag. */
      readonly type: 'variant';
      /** The variant's key; `null` if no variant applies. */
      readonly value: string | null;
      /** The variant's attachment as JSON text. Absent if there is none. */
      readonly attachment?: string;
      /** OpenFeature's reason, never `CACHED` or `STALE`. */
      readonly reason: string;
    }
  | {
      /** The flag does not exist. */
      readonly type: 'missing';
    }
  | {
      /** There is no answer. */
      readonly type: 'failed';
      /** `GENERAL` or `PARSE_ERROR`, or `INVALID_CONTEXT` if the context is too large for this flag, but not for all. */
      readonly errorCode: ErrorCode;
    };

/** Flags whose outcomes are made in a millisecond. */
const FLAGS_PER_MS = 500;

interface EachSource extends Omit<FlagsSource, 'resolveAll'> {
  /** The keys of all flags in the snapshot; `undefined` while there is none. */
  readonly flagKeys: (context: object) => Iterable<string> | undefined;
  readonly resolveEach: ResolveAll;
}

/** Rejects with an error of OpenFeature's if nothing can be evaluated. */
export async function evaluateEach(
  { flagKeys, resolveEach, ...source }: EachSource,
  context: EvaluationContext,
  named: readonly string[] | ((flagKey: string) => boolean),
  clock: Clock,
): Promise<ReadonlyMap<string, FlagOutcome>> {
  if (typeof named === 'function') await source.untilSnapshot();
  else checkFlagKeys('evaluateEach', named);
  // Also for a list: a view keeps the snapshot from now on, so that a later `evaluateAll` agrees.
  const known = flagKeys(context);
  const asked = typeof named === 'function' ? selected(named, known) : named;
  const keys = [...new Set(asked)];
  const resolved = await resolveMany({ ...source, resolveAll: resolveEach }, context, keys, clock);
  const outcomes = new Map<string, FlagOutcome>();
  const pause = pausing(FLAGS_PER_MS, clock);
  for (const [flagKey, { answer }] of resolved ?? []) {
    outcomes.set(flagKey, outcomeOf(answer));
    await pause();
  }
  return outcomes;
}

/** The keys of the snapshot that the function selects. */
function selected(isNamed: (flagKey: string) => unknown, known: Iterable<string> | undefined) {
  if (known === undefined)
    throw new GeneralError('evaluateEach: there is no snapshot yet to take the flag keys from: name them');
  return [...known].filter((flagKey) => {
    const answer = isNamed(flagKey);
    // A promise is truthy, so an async function would select every flag.
    if (typeof answer === 'boolean') return answer;
    throw new TypeError(
      `evaluateEach: expected a function that returns true or false, got ${kindReturned(answer)}`,
    );
  });
}

function outcomeOf(answer: Answer): FlagOutcome {
  switch (answer.kind) {
    case 'failed':
      return { type: 'failed', errorCode: errorCodeOf(answer.failure) };
    case 'missing':
      return { type: 'missing' };
    case 'boolean':
      return { type: 'boolean', value: answer.enabled, reason: serviceReasonOf(answer) };
    case 'variant': {
      const reason = serviceReasonOf(answer);
      if (reasonWithoutVariant(answer) !== undefined) return { type: 'variant', value: null, reason };
      const { variant, attachment } = answer;
      return { type: 'variant', value: variant, ...(hasAttachment(answer) && { attachment }), reason };
    }
  }
}
