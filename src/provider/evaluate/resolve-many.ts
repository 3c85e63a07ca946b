import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Clock } from '../../time/clock.js';
import type { Failure } from '../../model/failure.js';
import { policyOf } from '../../model/failure-policy.js';
import { failedResolution, type Resolution } from '../../model/resolution.js';
import { pastDeadline } from '../../cache/shared-requests.js';
import { errorOf } from '../mapping/openfeature-errors.js';
import type { ResolveAll } from '../resolve-in-process.js';
import type { EvaluateFlag } from './evaluate-flag.js';
import { inPortions } from './in-portions.js';

/** What resolves flags: all from one snapshot, or if `resolveAll` gives `undefined`, each by itself. */
export interface FlagsSource {
  readonly resolveAll: ResolveAll;
  readonly evaluate: EvaluateFlag;
  readonly deadlineMs: number;
}

/**
 * The resolutions of these flags, in their order, by default of all flags of the snapshot; `undefined` if there is none
 * to take the keys from. Rejects with an error of OpenFeature's for a failure of the context or of the provider, which
 * concerns all flags. Ends within `deadlineMs`: what is not known by then has failed.
 */
export async function resolveMany(
  { resolveAll, evaluate, deadlineMs }: FlagsSource,
  context: EvaluationContext,
  named: readonly string[] | undefined,
  clock: Clock,
): Promise<readonly (readonly [flagKey: string, Resolution])[] | undefined> {
  const all = await resolveAll(context, named);
  if (all !== undefined && 'kind' in all) throw errorOf(all);
  const flagKeys = named ?? (all && [...all.keys()]);
  if (flagKeys === undefined) return undefined;
  const resolutions = all
    ? flagKeys.map((flagKey) => all.get(flagKey))
    : (await inPortions(flagKeys, (flagKey) => evaluate(flagKey, context), deadlineMs, clock)).map(
        (resolution) => resolution ?? failedResolution(pastDeadline(deadlineMs)),
      );
  return flagKeys.flatMap((flagKey, at) => {
    const resolution = resolutions[at];
    if (resolution === undefined) return [];
    if (resolution.answer.kind === 'failed') throwIfUnusable(resolution.answer.failure);
    return [[flagKey, resolution] as const];
  });
}

function throwIfUnusable(failure: Failure): void {
  const { errorCode } = policyOf(failure);
  if (errorCode !== 'GENERAL' && errorCode !== 'PARSE_ERROR') throw errorOf(failure);
}
