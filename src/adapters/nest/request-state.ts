import { isDeepStrictEqual } from 'node:util';
import type { ExecutionContext } from '@nestjs/common';
import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import { REQUEST_VIEW, requestContext, requestView } from 'openfeature-flipt-provider';
import { checkContext, isObject, isPromiseLike, isRecord, kindReturned } from '../../base/text/describe.js';
import { contextInRequest } from '../../provider/per-request/merged-context.js';
import { lazyContext } from './lazy-context.js';
import type { FliptModuleOptions } from './module-options.js';

/**
 * A request and its context both hold the request's state under this symbol. All copies of this package share the
 * symbol.
 */
const STATE = Symbol.for('openfeature-flipt-provider.nest-request');

export interface Exchange {
  /** The request object that Nest passes to handlers. */
  readonly request: object;
  /**
   * Node's own request and response. The request's view of the flags ends when the response closes, or 30 s after the
   * first evaluation.
   */
  readonly raw: { readonly request: object };
}

/**
 * Creates the state of one request. The state holds the request's context, and decides when this context is computed
 * again.
 */
export function openRequestState({ request, raw }: Exchange, options: FliptModuleOptions) {
  const { prefetch } = options;
  const view = requestView(raw.request);
  const outer = OpenFeature.getTransactionContext();
  const added: EvaluationContext = {};
  let own: EvaluationContext | undefined;
  let isHandling = false;
  let prefetchedFor: EvaluationContext | undefined;
  const waiting: ((targetingKey: unknown) => void)[] = [];

  const inRequest = (user: EvaluationContext) => contextInRequest({ ...user, ...added }, outer);
  const attributes = () => {
    if (!isHandling || own === undefined) own = ownContext(request, options);
    const whole = inRequest(own);
    const isNew = !isDeepStrictEqual(whole, prefetchedFor);
    const flagKeys = typeof prefetch === 'function' ? prefetch(request) : prefetch;
    const context = requestContext(whole, { view, prefetch: isNew ? flagKeys : undefined });
    prefetchedFor = whole;
    return context;
  };
  /** The targetingKey is computed apart from the context, because reading the context would start the prefetch. */
  const targetingKeyOf = (): unknown => {
    try {
      return inRequest(ownContext(request, options)).targetingKey;
    } catch {
      // The error is dropped here, because resolves in the handler will report it.
      return undefined;
    }
  };
  const current: EvaluationContext = { [REQUEST_VIEW]: view };
  const { context, refresh, settle } = lazyContext(current, attributes);
  const state = {
    /**
     * The request's context, which is computed at least once for each resolve until the handler begins, and after that
     * usually once for all resolves of the handler, and once more after each `add`.
     */
    context,
    add(partial: EvaluationContext): void {
      Object.assign(added, partial);
      refresh();
    },
    /** Call this method when the guards have ended and the user no longer changes. Further calls do nothing. */
    handlerBegins(): void {
      if (isHandling) return;
      isHandling = true;
      own = undefined;
      settle();
      for (const guardsEnded of waiting.splice(0)) guardsEnded(targetingKeyOf());
    },
    /**
     * Calls `guardsEnded` with the request's targetingKey when the guards have ended. If a guard refuses the request,
     * or if the guards had already ended, `guardsEnded` is never called.
     */
    afterGuards: (guardsEnded: (targetingKey: unknown) => void) => waiting.push(guardsEnded),
  };
  // The member under `STATE` is not enumerable, so that copies of the context do not have it: the state adds attributes
  // only to the original context.
  for (const carrier of [current, request]) {
    Object.defineProperty(carrier, STATE, { value: state, configurable: true });
  }
  return state;
}

type RequestState = ReturnType<typeof openRequestState>;

/** Returns the state of a request. `carrier` can be the request or the request's context. */
function stateOf(carrier: unknown): RequestState | undefined {
  return isObject(carrier) ? (carrier as { readonly [STATE]?: RequestState })[STATE] : undefined;
}

/** Returns the state of the request in which the calling code runs. */
export const currentState = () => stateOf(OpenFeature.getTransactionContext());

/**
 * Returns the state of the request that Nest is serving. For HTTP, the request itself is an argument of the handler.
 * For GraphQL over HTTP, the request is the member `req` of an argument.
 */
export function stateIn(executionContext: ExecutionContext): RequestState | undefined {
  for (const argument of executionContext.getArgs<unknown[]>()) {
    const ofGraphql = isRecord(argument) ? argument.req : undefined;
    const state = stateOf(argument) ?? stateOf(ofGraphql);
    if (state !== undefined) return state;
  }
  return currentState();
}

export function noRequest(owner: string): Error {
  return new Error(
    `${owner}: this code does not run in a request whose context is known; ` +
      'import FliptModule.forRoot, and await what runs in a request; elsewhere (WebSocket, RPC, cron), ' +
      'call it in runInTransactionContext(context, …)',
  );
}

function ownContext(request: object, options: FliptModuleOptions): EvaluationContext {
  const context = options.context?.(request) ?? {};
  if (isPromiseLike(context)) {
    throw new TypeError(
      `FliptModule: context: expected a function that is not async, got ${kindReturned(context)}; ` +
        'do slow work in a guard or a middleware, and put the result on the request',
    );
  }
  checkContext('FliptModule: context', context);
  return context;
}

/**
 * Adds attributes to the context of the current request. Later resolves in this request use these attributes. Throws an
 * Error outside of a request, and a TypeError if `partial` is not an object.
 *
 * @example
 * ```ts
 * import { setRequestContext } from 'openfeature-flipt-provider/nest';
 *
 * setRequestContext({ plan: 'pro' });
 * ```
 */
export function setRequestContext(partial: EvaluationContext): void {
  checkContext('setRequestContext', partial);
  const state = currentState();
  if (state === undefined) throw noRequest('setRequestContext');
  state.add(partial);
}

/**
 * Returns the context of a request, for libraries that ask for one. `FliptModule` itself passes this function to the
 * interceptor of \@openfeature/nestjs-sdk, unless the interceptor already has a `contextFactory`. Outside of a request,
 * the function returns the current transaction context.
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
