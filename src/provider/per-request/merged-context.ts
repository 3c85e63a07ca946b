import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';

/** Merges the transaction context of a request with the attributes in `own`. If both have an attribute, `own` wins. */
export function contextInRequest(
  own: EvaluationContext,
  request = OpenFeature.getTransactionContext(),
): EvaluationContext {
  return { ...request, ...own };
}

/**
 * Merges OpenFeature's global context with the context of a request. If both have an attribute, the request's value
 * wins. OpenFeature's clients merge contexts in the same way.
 */
export function contextInApp(inRequest: EvaluationContext): EvaluationContext {
  return { ...OpenFeature.getContext(), ...inRequest };
}
