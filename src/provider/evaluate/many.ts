import { GeneralError, type ErrorCode, type EvaluationContext } from '@openfeature/server-sdk';
import { kindReturned } from '../../base/text/describe.js';
import { checkFlagKeys } from '../../options/check-arguments.js';
import type { Clock } from '../../base/time/clock.js';
import { sharingTurns } from '../../base/time/turns.js';
import type { Answer, Resolution } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import { attachmentOf, hasAttachment } from '../../model/value-of-type.js';
import { reasonOf, reasonWithoutVariant, serviceReasonOf } from '../mapping/details.js';
import { errorCodeOf, errorOf } from '../mapping/openfeature-errors.js';
import type { Evaluate } from './resolve.js';

/** A flag in the result of `evaluateAll`, in plain JSON, so that it can be sent to a browser. */
export interface EvaluatedFlag {
  readonly type: 'boolean' | 'variant';
  /** Whether a boolean flag is on, or the key of a variant, or `null` if no variant applies. */
  readonly value: boolean | string | null;
  /** For a boolean flag `'true'` or `'false'`. */
  readonly variant: string | null;
  /** Parsed. Absent without one, and if it cannot be used, for example because it is no JSON. */
  readonly attachment?: unknown;
  readonly reason: string;
}

/** A flag in the result of `evaluateEach`. Its reason is never `CACHED` or `STALE`. */
export type FlagOutcome =
  | {
      readonly type: 'boolean';
      readonly value: boolean;
      readonly reason: string;
    }
  | {
      readonly type: 'variant';
      /** The key of the variant, or `null` if no variant applies. */
      readonly value: string | null;
      /** As Flipt has it, unparsed. */
      readonly attachment?: string;
      readonly reason: string;
    }
  | {
      readonly type: 'missing';
    }
  | {
      readonly type: 'failed';
      /** `GENERAL`, `PARSE_ERROR`, or `INVALID_CONTEXT` if the context is too large for this flag but not for all. */
      readonly errorCode: ErrorCode;
    };

type Keys = readonly string[] | ((flagKey: string) => boolean) | undefined;
type Resolved = readonly (readonly [flagKey: string, Resolution])[];

type ResolveAll = (
  context: EvaluationContext,
  flagKeys: readonly string[],
) => Promise<ReadonlyMap<string, Resolution> | Failure | undefined>;

export interface ManySource {
  /** From one snapshot, or with `undefined` if there is none to evaluate from. */
  readonly resolveAll: ResolveAll;
  /** The same, but in remote mode always with `undefined`. */
  readonly resolveEach: ResolveAll;
  readonly evaluate: Evaluate;
  /** Waits for the first snapshot, at most `deadlineMs`. */
  readonly untilSnapshot: () => Promise<void>;
  /** The keys of the snapshot, from which all later evaluations of the context's view come. */
  readonly flagKeys: (context: EvaluationContext) => Iterable<string> | undefined;
}

export async function evaluateAll(
  source: ManySource,
  context: EvaluationContext,
  flagKeys: readonly string[] | undefined,
  clock: Clock,
): Promise<Readonly<Record<string, EvaluatedFlag>>> {
  // Without a prototype, because Flipt v1 allows the key `__proto__`.
  const flags = Object.create(null) as Record<string, EvaluatedFlag>;
  const pause = sharingTurns(clock);
  for (const [flagKey, resolution] of await resolveMany(
    'evaluateAll',
    source,
    source.resolveAll,
    context,
    flagKeys,
  )) {
    const flag = evaluatedFlag(resolution);
    if (flag !== undefined) flags[flagKey] = flag;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return flags;
}

function evaluatedFlag(resolution: Resolution): EvaluatedFlag | undefined {
  const { answer } = resolution;
  if (answer.kind !== 'boolean' && answer.kind !== 'variant') return undefined;
  const reason = reasonOf(answer, resolution);
  if (answer.kind === 'boolean')
    return { type: 'boolean', value: answer.enabled, variant: String(answer.enabled), reason };
  const none = reasonWithoutVariant(answer);
  if (none !== undefined) return { type: 'variant', value: null, variant: null, reason: none };
  const { variant } = answer;
  const attachment = hasAttachment(answer) ? attachmentOf(answer) : undefined;
  return {
    type: 'variant',
    value: variant,
    variant,
    ...(attachment !== undefined && { attachment }),
    reason,
  };
}

export async function evaluateEach(
  source: ManySource,
  context: EvaluationContext,
  flagKeys: Exclude<Keys, undefined>,
  clock: Clock,
): Promise<ReadonlyMap<string, FlagOutcome>> {
  if (typeof flagKeys !== 'function') checkFlagKeys('evaluateEach', flagKeys);
  const outcomes = new Map<string, FlagOutcome>();
  const pause = sharingTurns(clock);
  for (const [flagKey, { answer }] of await resolveMany(
    'evaluateEach',
    source,
    source.resolveEach,
    context,
    flagKeys,
  )) {
    outcomes.set(flagKey, outcomeOf(answer));
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return outcomes;
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

/** Rejects with an error of OpenFeature if a failure concerns all flags. */
async function resolveMany(
  owner: string,
  source: ManySource,
  resolveAll: ResolveAll,
  context: EvaluationContext,
  named: Keys,
): Promise<Resolved> {
  if (!isList(named)) await source.untilSnapshot();
  const inSnapshot = source.flagKeys(context);
  const flagKeys = isList(named) ? [...new Set(named)] : selected(owner, named, inSnapshot);
  const all = await resolveAll(context, flagKeys);
  if (all !== undefined && 'kind' in all) throw errorOf(all);
  const coming = flagKeys.map(async (flagKey) => {
    return [flagKey, all?.get(flagKey) ?? (await source.evaluate(flagKey, context))] as const;
  });
  const resolved = await Promise.all(coming);
  throwIfUnusable(resolved.map(([, { answer }]) => answer));
  return resolved;
}

function isList(named: Keys): named is readonly string[] {
  return Array.isArray(named);
}

function selected(
  owner: string,
  named: ((flagKey: string) => unknown) | undefined,
  inSnapshot: Iterable<string> | undefined,
): readonly string[] {
  if (inSnapshot === undefined)
    throw new GeneralError(`${owner}: there is no snapshot yet to take the flag keys from: pass flagKeys`);
  if (named === undefined) return [...inSnapshot];
  return [...inSnapshot].filter((flagKey) => {
    const answer = named(flagKey);
    // The promise of an async function is truthy, and would select every flag.
    if (typeof answer === 'boolean') return answer;
    throw new TypeError(
      `${owner}: expected a function that returns true or false, got ${kindReturned(answer)}`,
    );
  });
}

/** A context can be too large for one flag, but not for another one whose key is shorter. */
function throwIfUnusable(answers: readonly Answer[]): void {
  let isUsable = false;
  let unusable: Failure | undefined;
  for (const answer of answers) {
    const code = answer.kind === 'failed' ? policyOf(answer.failure).errorCode : undefined;
    if (answer.kind !== 'failed' || code === 'GENERAL' || code === 'PARSE_ERROR') isUsable = true;
    else if (answer.failure.kind === 'context') unusable ??= answer.failure;
    else throw errorOf(answer.failure);
  }
  if (unusable !== undefined && !isUsable) throw errorOf(unusable);
}
