import { GeneralError, type ErrorCode, type EvaluationContext } from '@openfeature/server-sdk';
import type { Clock } from '../../base/time/clock.js';
import { pausing } from '../../base/time/pausable-steps.js';
import { checkFlagKeys, kindReturned } from '../../base/text/describe.js';
import type { Answer, Resolution } from '../../model/answer.js';
import { errorCodeOf } from '../mapping/openfeature-errors.js';
import { reasonOf, reasonWithoutVariant, serviceReasonOf } from '../mapping/details.js';
import type { ResolveAll } from './resolve-in-process.js';
import { attachmentOf, hasAttachment } from '../../model/value-of-type.js';
import { resolveMany, type FlagsSource } from './resolve-many.js';

/** A flag as `evaluateAll` returns it, in plain JSON values for a page or a browser. */
export interface EvaluatedFlag {
  /** The kind of flag. */
  readonly type: 'boolean' | 'variant';
  /**
   * Whether a boolean flag is on, or the key of a variant flag's variant. The value is `null` if no variant applies.
   */
  readonly value: boolean | string | null;
  /**
   * The key of the variant. For a boolean flag, this is `'true'` or `'false'`. The value is `null` if no variant
   * applies.
   */
  readonly variant: string | null;
  /**
   * The parsed attachment of the variant. This member is absent if the variant has no attachment, or one that is not
   * JSON.
   */
  readonly attachment?: unknown;
  /** OpenFeature's reason for the value. */
  readonly reason: string;
}

/** Parsing the attachments of this many flags takes a millisecond, or a few if the attachments are large. */
const FLAGS_PER_MS = 250;
/** Parsing this many characters of an attachment takes as long as handling one flag. */
const CHARACTERS_OF_FLAG = 1_000;

/**
 * Evaluates flags for the provider's `evaluateAll`. Rejects with an error of OpenFeature if nothing can be evaluated.
 */
export async function evaluateAll(
  source: FlagsSource,
  context: EvaluationContext,
  flagKeys: readonly string[] | undefined,
  clock: Clock,
): Promise<Readonly<Record<string, EvaluatedFlag>>> {
  if (flagKeys === undefined) await source.untilSnapshot();
  const resolved = await resolveMany(source, context, flagKeys, clock);
  if (resolved === undefined) throw new GeneralError(NO_SNAPSHOT);
  // The object has no prototype, because Flipt v1 allows a flag to be called __proto__.
  const flags = Object.create(null) as Record<string, EvaluatedFlag>;
  const pause = pausing(FLAGS_PER_MS, clock);
  for (const [flagKey, resolution] of resolved) {
    const flag = evaluatedFlag(resolution);
    if (flag !== undefined) flags[flagKey] = flag;
    const { answer } = resolution;
    await pause(answer.kind === 'variant' ? 1 + answer.attachment.length / CHARACTERS_OF_FLAG : 1);
  }
  return flags;
}

const NO_SNAPSHOT = 'evaluateAll: there is no snapshot yet to take the flag keys from: pass flagKeys';

function evaluatedFlag(resolution: Resolution): EvaluatedFlag | undefined {
  const { answer } = resolution;
  if (answer.kind !== 'boolean' && answer.kind !== 'variant') return undefined;
  const reason = reasonOf(answer, resolution);
  if (answer.kind === 'boolean') {
    return { type: 'boolean', value: answer.enabled, variant: String(answer.enabled), reason };
  }
  const none = reasonWithoutVariant(answer);
  if (none !== undefined) return { type: 'variant', value: null, variant: null, reason: none };
  const { variant } = answer;
  const attachment = hasAttachment(answer) ? attachmentOf(answer) : undefined;
  const attached = attachment !== undefined && { attachment };
  return { type: 'variant', value: variant, variant, ...attached, reason };
}

/**
 * The outcome of one flag as `evaluateEach` returns it, which is what the service has decided. The outcome is the same
 * whether the answer comes from the cache or from the service.
 */
export type FlagOutcome =
  | {
      /** The flag is a boolean flag. */
      readonly type: 'boolean';
      /** Whether the flag is on. */
      readonly value: boolean;
      /** OpenFeature's reason for the value, which is never `CACHED` or `STALE`. */
      readonly reason: string;
    }
  | {
      /** The flag is a variant flag. */
      readonly type: 'variant';
      /** The key of the variant, or `null` if no variant applies. */
      readonly value: string | null;
      /** The attachment of the variant as JSON text. This member is absent if the variant has no attachment. */
      readonly attachment?: string;
      /** OpenFeature's reason for the value, which is never `CACHED` or `STALE`. */
      readonly reason: string;
    }
  | {
      /** The flag does not exist. */
      readonly type: 'missing';
    }
  | {
      /** The flag could not be evaluated. */
      readonly type: 'failed';
      /**
       * The error code is `GENERAL` or `PARSE_ERROR`, or `INVALID_CONTEXT` if the context is too large for this flag,
       * but not for all flags.
       */
      readonly errorCode: ErrorCode;
    };

/** Making the outcomes of this many flags takes a millisecond. */
const OUTCOMES_PER_MS = 500;

interface EachSource extends Omit<FlagsSource, 'resolveAll'> {
  /** Returns the keys of all flags in the snapshot, or `undefined` while there is none. */
  readonly flagKeys: (context: object) => Iterable<string> | undefined;
  readonly resolveEach: ResolveAll;
}

/**
 * Evaluates flags for the provider's `evaluateEach`. Rejects with an error of OpenFeature if nothing can be evaluated.
 */
export async function evaluateEach(
  { flagKeys, resolveEach, ...source }: EachSource,
  context: EvaluationContext,
  named: readonly string[] | ((flagKey: string) => boolean),
  clock: Clock,
): Promise<ReadonlyMap<string, FlagOutcome>> {
  if (typeof named === 'function') await source.untilSnapshot();
  else checkFlagKeys('evaluateEach', named);
  // The keys are read even if the caller names its flags. Reading the keys makes the context's view keep its snapshot,
  // so that a later `evaluateAll` agrees with these outcomes.
  const inSnapshot = flagKeys(context);
  const asked = typeof named === 'function' ? selected(named, inSnapshot) : named;
  const keys = [...new Set(asked)];
  const resolved = await resolveMany({ ...source, resolveAll: resolveEach }, context, keys, clock);
  const outcomes = new Map<string, FlagOutcome>();
  const pause = pausing(OUTCOMES_PER_MS, clock);
  for (const [flagKey, { answer }] of resolved ?? []) {
    outcomes.set(flagKey, outcomeOf(answer));
    await pause();
  }
  return outcomes;
}

/** Returns those keys of the snapshot that the function `isNamed` selects. */
function selected(isNamed: (flagKey: string) => unknown, inSnapshot: Iterable<string> | undefined) {
  if (inSnapshot === undefined)
    throw new GeneralError(
      'evaluateEach: there is no snapshot yet to take the flag keys from: pass a list of them',
    );
  return [...inSnapshot].filter((flagKey) => {
    const answer = isNamed(flagKey);
    // A promise is truthy, so that an async function would select every flag.
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
