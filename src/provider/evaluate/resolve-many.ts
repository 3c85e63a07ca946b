import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Answer, Resolution } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import { errorOf } from '../mapping/openfeature-errors.js';
import type { ResolveAll } from './resolve-in-process.js';
import type { EvaluateFlag } from './evaluate-flag.js';

/**
 * What `resolveMany` needs to resolve flags. One call of `resolveAll` resolves all its flags from one snapshot. If
 * `resolveAll` gives `undefined`, `resolveMany` calls `evaluate` for each named flag.
 */
export interface FlagsSource {
  readonly resolveAll: ResolveAll;
  readonly evaluate: EvaluateFlag;
  /**
   * If there is no snapshot yet, `untilSnapshot` waits for the first poll, but at most for `deadlineMs`. The promise of
   * `untilSnapshot` never rejects.
   */
  readonly untilSnapshot: () => Promise<void>;
}

/**
 * Resolves the flags in `named`, and returns their resolutions in the same order. If `named` is `undefined`, the
 * function resolves all flags of the snapshot, and returns `undefined` if there is no snapshot. If the context cannot
 * be used, or if the provider is closed, the promise rejects with an error of OpenFeature, because the failure concerns
 * all flags. A flag for which Flipt has not answered within `deadlineMs` gets the last known answer or a failure.
 */
export async function resolveMany(
  { resolveAll, evaluate }: FlagsSource,
  context: EvaluationContext,
  named: readonly string[] | undefined,
): Promise<readonly (readonly [flagKey: string, Resolution])[] | undefined> {
  const all = await resolveAll(context, named);
  if (all !== undefined && 'kind' in all) throw errorOf(all);
  const flagKeys = named ?? (all && [...all.keys()]);
  if (flagKeys === undefined) return undefined;
  const resolvedHere = (flagKey: string) => {
    const resolution = all?.get(flagKey);
    return resolution === undefined ? [] : [[flagKey, resolution] as const];
  };
  const resolved = all
    ? flagKeys.flatMap(resolvedHere)
    : await Promise.all(
        flagKeys.map(async (flagKey) => [flagKey, await evaluate(flagKey, context)] as const),
      );
  throwIfUnusable(resolved.map(([, { answer }]) => answer));
  return resolved;
}

/**
 * Throws an error if a failure concerns all flags. If the context is too large for some flags but not for others, whose
 * keys are shorter, the failure concerns only some flags, and the function does not throw.
 */
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
