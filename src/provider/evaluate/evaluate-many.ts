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

/**
 * The value of one flag in the result of `evaluateAll`. An `EvaluatedFlag` consists of plain JSON values, so that you
 * can send it to a browser.
 */
export interface EvaluatedFlag {
  /** The type of the flag: a boolean flag or a variant flag. */
  readonly type: 'boolean' | 'variant';
  /**
   * For a boolean flag, `value` says whether the flag is on. For a variant flag, `value` is the key of the variant, or
   * `null` if no variant applies.
   */
  readonly value: boolean | string | null;
  /**
   * The key of the variant, or `null` if no variant applies. For a boolean flag, this member is `'true'` or `'false'`.
   */
  readonly variant: string | null;
  /**
   * The parsed attachment of the variant. This member is absent if the variant has no attachment, or if the attachment
   * cannot be used, for example because it is not JSON.
   */
  readonly attachment?: unknown;
  /** OpenFeature's reason for the value. */
  readonly reason: string;
}

/** Parsing the attachments of this many flags takes about a millisecond if the attachments are short. */
const FLAGS_PER_MS = 250;
/** Parsing this many characters of an attachment takes as long as handling one flag without an attachment. */
const CHARACTERS_OF_FLAG = 1_000;

/**
 * Evaluates flags for the provider's `evaluateAll`. The promise rejects with an error of OpenFeature if the context
 * cannot be used, if the provider is closed, or if there is no snapshot and `flagKeys` is `undefined`.
 */
export async function evaluateAll(
  source: FlagsSource,
  context: EvaluationContext,
  flagKeys: readonly string[] | undefined,
  clock: Clock,
): Promise<Readonly<Record<string, EvaluatedFlag>>> {
  if (flagKeys === undefined) await source.untilSnapshot();
  const resolved = await resolveMany(source, context, flagKeys);
  if (resolved === undefined) throw new GeneralError(NO_SNAPSHOT);
  // The object has no prototype, because Flipt v1 allows a flag to have the key `__proto__`.
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
 * The outcome of one flag in the result of `evaluateEach`: what Flipt's rules decide for the context. The outcome does
 * not say whether it comes from the cache, from a snapshot or from a request to Flipt.
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
      /**
       * The text of the variant's attachment, which is usually JSON. This member is absent if the variant has no
       * attachment.
       */
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

/** Making the outcomes of this many flags takes about a millisecond. */
const OUTCOMES_PER_MS = 500;

interface EachSource extends Omit<FlagsSource, 'resolveAll'> {
  /** Returns the keys of all flags in the snapshot, or `undefined` while there is no snapshot. */
  readonly flagKeys: (context: object) => Iterable<string> | undefined;
  readonly resolveEach: ResolveAll;
}

/**
 * Evaluates flags for the provider's `evaluateEach`. The promise rejects with an error of OpenFeature if the context
 * cannot be used, if the provider is closed, or if there is no snapshot and `named` is a function.
 */
export async function evaluateEach(
  { flagKeys, resolveEach, ...source }: EachSource,
  context: EvaluationContext,
  named: readonly string[] | ((flagKey: string) => boolean),
  clock: Clock,
): Promise<ReadonlyMap<string, FlagOutcome>> {
  if (typeof named === 'function') await source.untilSnapshot();
  else checkFlagKeys('evaluateEach', named);
  // The code calls `flagKeys` even if the caller passes a list of flags. This call of `flagKeys` chooses the snapshot
  // for the context's HTTP request, so that a later `evaluateAll` in the same request evaluates from the same snapshot.
  const inSnapshot = flagKeys(context);
  const asked = typeof named === 'function' ? selected(named, inSnapshot) : named;
  const keys = [...new Set(asked)];
  const resolved = await resolveMany({ ...source, resolveAll: resolveEach }, context, keys);
  const outcomes = new Map<string, FlagOutcome>();
  const pause = pausing(OUTCOMES_PER_MS, clock);
  for (const [flagKey, { answer }] of resolved ?? []) {
    outcomes.set(flagKey, outcomeOf(answer));
    await pause();
  }
  return outcomes;
}

/** Returns the keys of the snapshot for which `isNamed` returns `true`. */
function selected(isNamed: (flagKey: string) => unknown, inSnapshot: Iterable<string> | undefined) {
  if (inSnapshot === undefined)
    throw new GeneralError(
      'evaluateEach: there is no snapshot yet to take the flag keys from: pass a list of them',
    );
  return [...inSnapshot].filter((flagKey) => {
    const answer = isNamed(flagKey);
    // Only a boolean is accepted, because an async function returns a promise, which is truthy and would select every
    // flag.
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
