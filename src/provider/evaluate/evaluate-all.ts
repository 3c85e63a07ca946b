import { GeneralError } from '@openfeature/server-sdk';
import { nextTurn, pausing, type Clock } from '../../clock.js';
import type { Answer, VariantAnswer } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import { traitsOf } from '../../model/failure-traits.js';
import type { Resolution } from '../../model/resolution.js';
import { errorOf } from '../errors.js';
import { reasonOf, reasonWithoutVariant } from '../mapping/reasons.js';
import { attachmentOf } from '../mapping/value.js';

/** A flag as `evaluateAll` returns it: plain JSON values, for a page or a browser. */
export interface EvaluatedFlag {
  /** The kind of flag. */
  readonly type: 'boolean' | 'variant';
  /** Of a boolean flag, whether it is on. Of a variant flag, the variant's key; `null` if no variant applies. */
  readonly value: boolean | string | null;
  /** The variant's key; of a boolean flag `'true'` or `'false'`; `null` if no variant applies. */
  readonly variant: string | null;
  /** The variant's attachment, parsed. Absent if there is none, or it is not JSON. */
  readonly attachment?: unknown;
  /** OpenFeature's reason. */
  readonly reason: string;
}

/** Flags that are asked for at once: the questions of other callers must find room in the queue as well. */
const AT_ONCE = 1_000;
/** Flags whose attachments are parsed in one turn of the event loop, which takes a few milliseconds. */
const FLAGS_PER_TURN = 500;

/** Calls `run` for a portion of the flags at once, and lets other work run before the next portion. */
export async function inPortions<FlagOrKey, Result>(
  flags: readonly FlagOrKey[],
  run: (flag: FlagOrKey) => Promise<Result>,
  clock: Clock,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < flags.length; first += AT_ONCE) {
    if (first > 0) await nextTurn(clock);
    results.push(...(await Promise.all(flags.slice(first, first + AT_ONCE).map(run))));
  }
  return results;
}

/** Rejects with an error of OpenFeature's if nothing can be evaluated. */
export async function evaluateAll(
  fromSnapshot: ReadonlyMap<string, Resolution> | Failure | undefined,
  flagKeys: readonly string[] | undefined,
  evaluate: (flagKey: string) => Resolution | Promise<Resolution>,
  clock: Clock,
): Promise<Readonly<Record<string, EvaluatedFlag>>> {
  if (fromSnapshot !== undefined && 'kind' in fromSnapshot) throw errorOf(fromSnapshot);
  const keys = flagKeys ?? [...(fromSnapshot ?? missingSnapshot()).keys()];
  const resolutions =
    fromSnapshot === undefined
      ? await inPortions(keys, async (flagKey) => evaluate(flagKey), clock)
      : keys.map((flagKey) => fromSnapshot.get(flagKey));
  // Without a prototype, because Flipt v1 allows a flag to be called __proto__.
  const flags = Object.create(null) as Record<string, EvaluatedFlag>;
  const pause = pausing(FLAGS_PER_TURN, clock);
  for (const [at, flagKey] of keys.entries()) {
    const resolution = resolutions[at];
    if (resolution === undefined) continue;
    throwIfUnusable(resolution.answer);
    const flag = evaluatedFlag(resolution);
    if (flag !== undefined) flags[flagKey] = flag;
    await pause();
  }
  return flags;
}

function missingSnapshot(): never {
  throw new GeneralError('evaluateAll: there is no snapshot yet to take the flag keys from: pass flagKeys');
}

/** Throws for a failure of the context or of the provider, which concerns all flags. */
export function throwIfUnusable(answer: Answer): void {
  if (answer.kind === 'failed' && traitsOf(answer.failure).errorCode !== 'GENERAL') {
    if (traitsOf(answer.failure).errorCode !== 'PARSE_ERROR') throw errorOf(answer.failure);
  }
}

function evaluatedFlag(resolution: Resolution): EvaluatedFlag | undefined {
  const { answer } = resolution;
  if (answer.kind === 'boolean') {
    const { enabled } = answer;
    return {
      type: 'boolean',
      value: enabled,
      variant: String(enabled),
      reason: reasonOf(answer, resolution),
    };
  }
  return answer.kind === 'variant' ? evaluatedVariant(answer, resolution) : undefined;
}

function evaluatedVariant(answer: VariantAnswer, resolution: Resolution): EvaluatedFlag {
  const reason = reasonWithoutVariant(answer);
  if (reason !== undefined) return { type: 'variant', value: null, variant: null, reason };
  const { variant } = answer;
  const attachment = attachmentOf(answer) ?? undefined;
  return {
    type: 'variant',
    value: variant,
    variant,
    ...(attachment !== undefined && { attachment }),
    reason: reasonOf(answer, resolution),
  };
}
