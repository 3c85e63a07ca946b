import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';

/** Returns the context of a request together with the attributes that its caller adds. The caller's attributes win. */
export function contextInRequest(
  own: EvaluationContext,
  request = OpenFeature.getTransactionContext(),
): EvaluationContext {
  return { ...request, ...own };
}

/**
 * Returns the app's context together with the context of a request, whose attributes win. An OpenFeature client asks
 * with the same context.
 */
export function contextInApp(inRequest: EvaluationContext): EvaluationContext {
  return { ...OpenFeature.getContext(), ...inRequest };
}
