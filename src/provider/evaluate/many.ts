import { GeneralError, type ErrorCode, type EvaluationContext } from '@openfeature/server-sdk';
import { kindReturned, unlessItThrows } from '../../base/text/describe.js';
import { inTurns } from '../../base/time/turns.js';
import type { Answer, Resolution, ValueAnswer } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { attachmentOf, hasAttachment } from '../../model/value-of-type.js';
import { reasonOf, reasonWithoutVariant, serviceReasonOf } from '../mapping/details.js';
import { errorCodeOf, errorOf } from '../mapping/openfeature-errors.js';
import type { GivenContext } from '../mapping/question-key.js';
import { requestViewOf, type RequestView } from '../per-request/view.js';
import type { FlagsHere } from './here.js';
import { reported, type Evaluate } from './resolve.js';

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
type ValueOutcome = Extract<FlagOutcome, { readonly value: unknown }>;

interface ManySource {
  readonly evaluate: Evaluate;
  /** `undefined` if the options allow no snapshot. */
  readonly here:
    | ((context: GivenContext, view: RequestView | undefined) => FlagsHere | undefined)
    | undefined;
  readonly isInProcess: boolean;
  /** Whether Flipt is asked although there may be a snapshot. */
  readonly isServiceBetter: () => boolean;
  /** Waits for the first snapshot, at most `deadlineMs`. */
  readonly untilSnapshot: () => Promise<void>;
}

export function evaluatingMany(
  { evaluate, here, isInProcess, isServiceBetter, untilSnapshot }: ManySource,
  runtime: Runtime,
) {
  const { clock } = runtime;

  /** Rejects with an error of OpenFeature if a failure concerns all flags. */
  const resolveMany = async (
    owner: 'evaluateAll' | 'evaluateEach',
    context: EvaluationContext,
    named: Keys,
  ): Promise<ReadonlyMap<string, Resolution>> => {
    if (!isList(named)) await untilSnapshot();
    // If the context cannot be read, the evaluation says so.
    const view = unlessItThrows(() => requestViewOf(context));
    const flags = here?.(context, view);
    const inSnapshot = flags?.snapshot.flags.keys().keys();
    const flagKeys = new Set(isList(named) ? named : selected(owner, named, inSnapshot));
    const isHere = flags !== undefined && (isInProcess || owner === 'evaluateAll') && !isServiceBetter();
    const coming = new Map<string, Resolution | Promise<Resolution>>();
    if (isHere)
      await inTurns(flagKeys, clock, (flagKey) => {
        coming.set(flagKey, reported(flagKey, flags.resolve(flagKey), runtime));
      });
    // In one turn, so that what is asked of Flipt becomes one request.
    else for (const flagKey of flagKeys) coming.set(flagKey, evaluate(flagKey, context));
    const resolved = new Map<string, Resolution>();
    for (const [flagKey, resolution] of coming) resolved.set(flagKey, await resolution);
    throwIfUnusable([...resolved.values()].map(({ answer }) => answer));
    return resolved;
  };

  return {
    /** From the snapshot, also in remote mode. */
    async evaluateAll(
      context: EvaluationContext,
      flagKeys: readonly string[] | undefined,
    ): Promise<Readonly<Record<string, EvaluatedFlag>>> {
      // Without a prototype, because Flipt v1 allows the key `__proto__`.
      const flags = Object.create(null) as Record<string, EvaluatedFlag>;
      const resolved = await resolveMany('evaluateAll', context, flagKeys);
      await inTurns(resolved, clock, ([flagKey, resolution]) => {
        const flag = evaluatedFlag(resolution);
        if (flag !== undefined) flags[flagKey] = flag;
      });
      return flags;
    },

    async evaluateEach(
      context: EvaluationContext,
      flagKeys: Exclude<Keys, undefined>,
    ): Promise<ReadonlyMap<string, FlagOutcome>> {
      const outcomes = new Map<string, FlagOutcome>();
      await inTurns(await resolveMany('evaluateEach', context, flagKeys), clock, ([flagKey, { answer }]) => {
        outcomes.set(flagKey, outcomeOf(answer));
      });
      return outcomes;
    },
  };
}

function evaluatedFlag(resolution: Resolution): EvaluatedFlag | undefined {
  const { answer } = resolution;
  if (answer.kind === 'missing' || answer.kind === 'failed') return undefined;
  const outcome = valueOutcome(answer);
  const { type, value } = outcome;
  const none = answer.kind === 'variant' ? reasonWithoutVariant(answer) : undefined;
  const attachment = 'attachment' in outcome ? attachmentOf({ attachment: outcome.attachment }) : undefined;
  return {
    type,
    value,
    variant: value === null ? null : String(value),
    ...(attachment !== undefined && { attachment }),
    reason: none ?? reasonOf(answer, resolution),
  };
}

function outcomeOf(answer: Answer): FlagOutcome {
  if (answer.kind === 'failed') return { type: 'failed', errorCode: errorCodeOf(answer.failure) };
  return answer.kind === 'missing' ? { type: 'missing' } : valueOutcome(answer);
}

function valueOutcome(answer: ValueAnswer): ValueOutcome {
  const reason = serviceReasonOf(answer);
  if (answer.kind === 'boolean') return { type: 'boolean', value: answer.enabled, reason };
  if (reasonWithoutVariant(answer) !== undefined) return { type: 'variant', value: null, reason };
  const { variant, attachment } = answer;
  return { type: 'variant', value: variant, ...(hasAttachment(answer) && { attachment }), reason };
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
