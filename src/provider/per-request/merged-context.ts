import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';

/**
 * Merges OpenFeature's transaction context `request` with the attributes in `own`. If both contexts have an attribute,
 * the value in `own` is used.
 */
export function contextInRequest(
  own: EvaluationContext,
  request = OpenFeature.getTransactionContext(),
): EvaluationContext {
  return { ...request, ...own };
}

/**
 * Merges OpenFeature's global context with the context of a request. If both contexts have an attribute, the request's
 * value is used. OpenFeature's clients merge contexts in the same way.
 */
export function contextInApp(inRequest: EvaluationContext): EvaluationContext {
  return { ...OpenFeature.getContext(), ...inRequest };
}
