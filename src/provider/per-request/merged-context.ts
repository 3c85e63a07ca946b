import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';

/** The context of a request, and what its caller adds: the caller's attributes win. */
export function contextInRequest(
  own: EvaluationContext,
  request = OpenFeature.getTransactionContext(),
): EvaluationContext {
  return { ...request, ...own };
}

/** The app's context, and the one of a request, whose attributes win: an OpenFeature client asks with this. */
export function contextInApp(inRequest: EvaluationContext): EvaluationContext {
  return { ...OpenFeature.getContext(), ...inRequest };
}
