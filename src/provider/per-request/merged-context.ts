import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';

export function contextInRequest(
  own: EvaluationContext,
  request = OpenFeature.getTransactionContext(),
): EvaluationContext {
  return { ...request, ...own };
}

/** As OpenFeature's clients merge them. */
export function contextInApp(inRequest: EvaluationContext): EvaluationContext {
  return { ...OpenFeature.getContext(), ...inRequest };
}
