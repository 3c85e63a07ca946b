import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Explanation } from '../../engine/explain/explanation.js';
import { errorOf } from '../errors.js';
import { checkFlagKey } from '../flag-keys.js';
import { CLOSED, type Running } from '../pipeline.js';

/** Rejects with an error of OpenFeature's if nothing can be explained. */
export async function explainFlag(
  running: Running | undefined,
  flagKey: string,
  context: EvaluationContext,
): Promise<Explanation> {
  checkFlagKey('explain', flagKey);
  const explained = running ? await running.explain(flagKey, context) : CLOSED;
  if ('kind' in explained) throw errorOf(explained);
  return explained;
}
