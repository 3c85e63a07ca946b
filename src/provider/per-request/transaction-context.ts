import {
  AsyncLocalStorageTransactionContextPropagator,
  OpenFeature,
  type EvaluationContext,
} from '@openfeature/server-sdk';
import { checkContext, checkFlagKeys } from '../../base/text/describe.js';
import { contextInApp, contextInRequest } from './merged-context.js';
import { REQUEST_VIEW, type RequestView } from './view.js';

/** A provider that can be asked for flags before they are used, such as a `FliptProvider`. */
export interface Prefetcher {
  /** Asks for flags in one batch. The promise does not reject if the service fails. Nobody waits for the promise. */
  prefetch(flagKeys: readonly string[], context: EvaluationContext): Promise<void>;
}

/** What belongs to a request besides its context. */
export interface RequestContextOptions {
  /**
   * The view of the request. Within a view, a flag that is asked for twice with the same context has the same answer.
   */
  readonly view: RequestView;
  /**
   * The flags that the request will need. The first resolve asks for these flags in one batch, so that later resolves
   * find known answers or join the batch. A request that resolves no flag asks for no flags in advance. Default: none.
   */
  readonly prefetch?: readonly string[] | undefined;
  /**
   * The provider that is asked for the flags of `prefetch`. Default: the provider registered for `domain`, if it can
   * prefetch.
   */
  readonly provider?: Prefetcher | undefined;
  /** The domain of OpenFeature whose provider is asked. Default: the default one. */
  readonly domain?: string | undefined;
}

/**
 * Makes the transaction context of a request, which is the present transaction context with `context` and the request's
 * view added. If both have an attribute, the value of `context` wins. The first resolve with the result asks for the
 * flags of `prefetch`, and so does the first resolve after you have changed an attribute of the result. Any other code
 * that copies the result has the same effect.
 *
 * Throws a TypeError if `context` is not an object, or if `prefetch` is not a list of flag keys.
 *
 * The entries `express` and `nest` call this function for you. In other frameworks, call it yourself.
 *
 * @example
 * ```ts
 * import Fastify from 'fastify';
 * import { requestContext, requestView, runInTransactionContext } from 'openfeature-flipt-provider';
 *
 * const fastify = Fastify();
 * fastify.addHook('preHandler', (request, reply, done) => {
 *   const view = requestView(request.raw, reply.raw);
 *   const user = { targetingKey: String(request.headers['x-user'] ?? 'anonymous') };
 *   runInTransactionContext(requestContext(user, { view, prefetch: ['new-checkout'] }), done);
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
 * Returns a context that calls `begin` when it is copied, as each resolve does. `begin` is called for the first copy,
 * and for the first copy after each change.
 */
function prefetching(context: EvaluationContext, begin: () => void): EvaluationContext {
  let isDue = true;
  return new Proxy(context, {
    ownKeys(target) {
      if (isDue) {
        // `isDue` is set first, because `begin` copies the context itself.
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
 * Runs `callback` with `context` as OpenFeature's transaction context, which replaces the present one. Returns what
 * `callback` returns. If no propagator is installed, the function installs OpenFeature's
 * AsyncLocalStorageTransactionContextPropagator. Throws an Error if the installed propagator does not call back before
 * it returns.
 */
export function runInTransactionContext<T>(context: EvaluationContext, callback: () => T): T {
  if (!isPropagated()) {
    OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
  }
  // The function `setTransactionContext` returns nothing, and a propagator of the user's can call back later.
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
 * Returns whether a propagator is installed. OpenFeature's default propagator loses a transaction context, while
 * another one can change what it was given. The check runs each time, because other code installs propagators, too. The
 * check takes less than a microsecond.
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
  // The flags have to be asked for with the same context that a client will use, because the context decides the cache
  // key.
  const whole = contextInApp(context);
  const prefetcher: Partial<Prefetcher> = provider;
  // The `prefetch` of another vendor's provider might be missing, throw, or return no promise. If the `prefetch` fails,
  // a later resolve reports the failure.
  const asking = async () => prefetcher.prefetch?.(flagKeys, whole);
  asking().catch(() => undefined);
}
