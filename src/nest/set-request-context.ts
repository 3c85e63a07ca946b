import type { ExecutionContext } from '@nestjs/common';
import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import { currentRequestState, requestStateOf, type RequestState } from './request-state.js';

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
  const state = currentRequestState();
  if (state === undefined) throw new Error(`setRequestContext: ${NO_REQUEST}; ${HOW_TO_HAVE_A_REQUEST}`);
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

/**
 * The state of the request that Nest is serving. For HTTP, the request is an argument. For GraphQL over HTTP, it is the
 * member `req` of an argument.
 */
export function stateIn(executionContext: ExecutionContext): RequestState | undefined {
  for (const argument of executionContext.getArgs<unknown[]>()) {
    const state = requestStateOf(argument) ?? requestStateOf(memberOf(argument, 'req'));
    if (state !== undefined) return state;
  }
  return currentRequestState();
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

export const NO_REQUEST = 'there is no request here whose context is known';
export const HOW_TO_HAVE_A_REQUEST =
  'import FliptModule.forRoot, and await what runs in a request; elsewhere (WebSocket, RPC, cron), ' +
  'call it in runInTransactionContext(context, …)';
