import type { ExecutionContext } from '@nestjs/common';
import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import { currentState, noRequest, stateIn } from './request-state.js';

/**
 * Adds to the context of the current request, for all resolves from now on. Throws an Error outside of a request.
 *
 * @example
 * ```ts
 * import { setRequestContext } from 'openfeature-flipt-provider/nest';
 *
 * setRequestContext({ plan: 'pro' });
 * ```
 */
export function setRequestContext(partial: EvaluationContext): void {
  const state = currentState();
  if (state === undefined) throw noRequest('setRequestContext');
  state.add(partial);
}

/**
 * The context of a request, for libraries that ask for one. `FliptModule` hands it to the interceptor of
 * \@openfeature/nestjs-sdk itself, unless that has a `contextFactory` of its own. Outside of a request, the current
 * transaction context.
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
