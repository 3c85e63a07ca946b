import {
  AsyncLocalStorageTransactionContextPropagator,
  OpenFeature,
  type EvaluationContext,
} from '@openfeature/server-sdk';
import { checkContext, checkFlagKeys } from '../../base/text/describe.js';
import { contextInApp, contextInRequest } from './merged-context.js';
import { REQUEST_VIEW, type RequestView } from './view.js';

/** Can be asked for flags before they are used: a `FliptProvider`. */
export interface Prefetcher {
  /** Asks for flags in one batch. Never rejects because of the service. Nobody waits for it. */
  prefetch(flagKeys: readonly string[], context: EvaluationContext): Promise<void>;
}

/** What a request has besides its context. */
export interface RequestContextOptions {
  /** Within the view, a flag that is asked for twice with the same context has the same answer. */
  readonly view: RequestView;
  /**
   * Flags that the request will need: asked for in one batch with the first resolve, so that later ones find known
   * answers or join the batch. A request that resolves no flag asks for none. Default: none.
   */
  readonly prefetch?: readonly string[] | undefined;
  /** The provider to ask. Default: the provider registered for `domain`, if it can prefetch. */
  readonly provider?: Prefetcher | undefined;
  /** OpenFeature's domain. Default: the default one. */
  readonly domain?: string | undefined;
}

/**
 * The transaction context of a request: the present transaction context, with `context` and the request's view added.
 * An attribute in both has the value of `context`. The first resolve with it starts to prefetch, and so does the first
 * one after an attribute of it has been changed. Whatever else copies the context does so, too.
 *
 * Throws a TypeError if `context` is not an object, or `prefetch` is not a list of flag keys.
 *
 * The express and nest entries do this for you; call it yourself in other frameworks.
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

/** Calls `begin` when the context is copied, as each resolve does: the first time, and after each change. */
function prefetching(context: EvaluationContext, begin: () => void): EvaluationContext {
  let isDue = true;
  return new Proxy(context, {
    ownKeys(target) {
      if (isDue) {
        // First, because `begin` copies the context itself.
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
 * `callback` returns. Installs OpenFeature's AsyncLocalStorageTransactionContextPropagator if there is no propagator.
 */
export function runInTransactionContext<T>(context: EvaluationContext, callback: () => T): T {
  if (!isPropagated()) {
    OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
  }
  // `setTransactionContext` returns nothing, and a propagator of the user's may call back later.
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
 * Whether a propagator is installed. OpenFeature's default loses a transaction context; another propagator may change
 * what it was given. Checked each time, which costs less than a microsecond, because other code installs propagators,
 * too.
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
  // The same context that a client will ask with, because it decides the cache key.
  const whole = contextInApp(context);
  const prefetcher: Partial<Prefetcher> = provider;
  // Another vendor's `prefetch` may be missing, throw, or return no promise. A later resolve reports the failure.
  const asking = async () => prefetcher.prefetch?.(flagKeys, whole);
  asking().catch(() => undefined);
}
