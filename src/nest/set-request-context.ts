import type { ExecutionContext } from '@nestjs/common';
import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import { currentRequestState, requestStateOf, type RequestState } from './request-state.js';

/**
 * Adds to the context of the request that this code runs in: for all resolves from now on, whoever makes them.
 * Throws an Error outside of a request.
 *
 * @example
 * ```ts
 * import { setRequestContext } from 'openfeature-flipt-provider/nest';
 *
 * setRequestContext({ plan: 'pro' });
 * ```
 */
export function setRequestContext(partial: EvaluationContext): void {
  const state = currentRequestState();
  if (state === undefined) throw new Error(`setRequestContext: ${NO_REQUEST}`);
  state.add(partial);
}

/**
 * The context of a request, for what asks for one: `OpenFeatureModule.forRoot({ contextFactory })` of
 * \@openfeature/nestjs-sdk, whose interceptor would otherwise put an empty one in its place. Outside of a request, the
 * transaction context that is there.
 *
 * @example
 * ```ts
 * import { OpenFeatureModule } from '@openfeature/nestjs-sdk';
 * import { contextFactory } from 'openfeature-flipt-provider/nest';
 *
 * OpenFeatureModule.forRoot({ contextFactory });
 * ```
 */
export function contextFactory(executionContext: ExecutionContext): EvaluationContext {
  return stateIn(executionContext)?.context ?? OpenFeature.getTransactionContext();
}

/** The state of the request that Nest is serving. */
export function stateIn(executionContext: ExecutionContext): RequestState | undefined {
  return requestStateOf(executionContext.getArgs()[0]) ?? currentRequestState();
}

export const NO_REQUEST =
  'there is no request here whose context is known; is FliptModule.forRoot imported, and was the request awaited?';
