import {
  AsyncLocalStorageTransactionContextPropagator,
  OpenFeature,
  type EvaluationContext,
} from '@openfeature/server-sdk';
import { checkContext, checkFlagKeys } from '../../base/text/describe.js';
import { contextInApp, contextInRequest } from './merged-context.js';
import { REQUEST_VIEW, type RequestView } from './view.js';

/** A provider that can resolve flags before the app needs them, such as a `FliptProvider`. */
export interface Prefetcher {
  /**
   * Asks Flipt for the values of flags before the app needs them. The promise does not reject if Flipt fails.
   * `requestContext` does not wait for the promise.
   */
  prefetch(flagKeys: readonly string[], context: EvaluationContext): Promise<void>;
}

/** The options of `requestContext`. */
export interface RequestContextOptions {
  /**
   * The view of the HTTP request, from `requestView` or `openRequestView`. Within one view, all evaluations of a flag
   * with the same context usually have the same result.
   */
  readonly view: RequestView;
  /**
   * The keys of the flags that the request will need. The first resolve of the request calls the provider's `prefetch`
   * with these keys. In remote mode, later resolves then usually find cached answers or wait for the same batch. If the
   * request resolves no flag, `prefetch` is usually not called. Default: none.
   */
  readonly prefetch?: readonly string[] | undefined;
  /** The provider whose `prefetch` is called. Default: the provider registered for `domain`, if it can prefetch. */
  readonly provider?: Prefetcher | undefined;
  /** The domain of OpenFeature whose provider prefetches the flags. Default: the default domain. */
  readonly domain?: string | undefined;
}

/**
 * Makes the transaction context of a request. The returned context is the present transaction context with the
 * attributes of `context` and the request's view. If both contexts have an attribute, the value of `context` wins. The
 * first resolve with the returned context makes the provider prefetch the flags of `prefetch`. The first resolve after
 * an attribute of the returned context was set to another value makes the provider prefetch the flags again. Other code
 * that copies the returned context, as a resolve does, also starts the prefetch.
 *
 * Throws a TypeError if `context` is not an object, or if `prefetch` is not a list of flag keys.
 *
 * The entries `express` and `nest` call this function for you. In other frameworks, call `requestContext` yourself.
 *
 * @example
 * ```ts
 * import Fastify, { type FastifyRequest } from 'fastify';
 * import { requestContext, requestView, runInTransactionContext } from 'openfeature-flipt-provider';
 *
 * const fastify = Fastify();
 * fastify.addHook('preHandler', (request: FastifyRequest & { user?: { id: string } }, reply, done) => {
 *  const view = requestView(request.raw, reply.raw);
 *  const user = { targetingKey: request.user?.id ?? 'anonymous' }; // set by your login
 *  runInTransactionContext(requestContext(user, { view, prefetch: ['new-checkout'] }), done);
 * });
 * ```
 */
export function requestContext(
  context: EvaluationContext,
  options: RequestContextOptions,
): EvaluationContext {
  const { view, prefetch, provider, domain } = options;
  checkContext('context', context);
  const whole = contextInRequest({ ...context, [REQUEST_VIEW]: view });
  if (prefetch === undefined) return whole;
  checkFlagKeys('prefetch', prefetch);
  if (prefetch.length === 0) return whole;
  return prefetching(whole, () => {
    prefetchFlags(prefetch, whole, provider ?? OpenFeature.getProvider(domain));
  });
}

/**
 * Returns a context that calls `begin` when the context is copied. OpenFeature's SDK copies the context for each
 * resolve. `begin` is called for the first copy, and for the first copy after an attribute of the context was set to
 * another value.
 */
function prefetching(context: EvaluationContext, begin: () => void): EvaluationContext {
  let isDue = true;
  return new Proxy(context, {
    ownKeys(target) {
      if (isDue) {
        // `begin` copies this context, which runs `ownKeys` again. If `isDue` were still `true` by then, `ownKeys`
        // would call `begin` again.
        isDue = false;
        begin();
      }
      return Reflect.ownKeys(target);
    },
    set(target, name, value: unknown) {
      isDue ||= Reflect.get(target, name) !== value;
      return Reflect.set(target, name, value);
    },
  });
}

/**
 * Runs `callback`, and sets `context` as OpenFeature's transaction context during the call and in all asynchronous work
 * that it starts, in place of the present transaction context. Returns what `callback` returns. If no transaction
 * context propagator is installed, `runInTransactionContext` installs OpenFeature's
 * AsyncLocalStorageTransactionContextPropagator. Throws an Error if the installed propagator returns without having
 * called `callback`.
 */
export function runInTransactionContext<T>(context: EvaluationContext, callback: () => T): T {
  if (!isPropagated()) {
    OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
  }
  // The code takes the result from a variable, because `setTransactionContext` returns nothing. If the user's
  // propagator has not called `callback` before it returned, there is no result.
  let outcome: { readonly returned: T } | undefined;
  OpenFeature.setTransactionContext(context, () => {
    outcome = { returned: callback() };
  });
  if (outcome === undefined) throw new Error(NOT_CALLED);
  return outcome.returned;
}

const NOT_CALLED =
  'runInTransactionContext: the transaction context propagator did not call back before it returned';

/**
 * Returns `true` if a transaction context propagator is installed. To find out, the function sets a transaction context
 * and reads it back, because OpenFeature's default propagator does not keep a context. `isPropagated` runs for each
 * request, because other code can install a propagator at any time. One call of `isPropagated` takes less than a
 * microsecond.
 */
function isPropagated(): boolean {
  let comesBack = false;
  OpenFeature.setTransactionContext({ targetingKey: MARKER }, () => {
    comesBack = Reflect.ownKeys(OpenFeature.getTransactionContext()).length > 0;
  });
  return comesBack;
}

const MARKER = 'openfeature-flipt-provider.marker';

function prefetchFlags(flagKeys: readonly string[], context: EvaluationContext, provider: object): void {
  // The prefetch must use the same merged context as an OpenFeature client, because the context is part of the cache
  // key.
  const whole = contextInApp(context);
  const prefetcher: Partial<Prefetcher> = provider;
  // If the provider is not a `FliptProvider`, its `prefetch` might be missing, throw, or return no promise. The code
  // ignores errors of `prefetch`, because a later resolve reports the failure.
  const asking = async () => prefetcher.prefetch?.(flagKeys, whole);
  asking().catch(() => undefined);
}
