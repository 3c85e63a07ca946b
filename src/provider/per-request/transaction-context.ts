import {
  AsyncLocalStorageTransactionContextPropagator,
  OpenFeature,
  type EvaluationContext,
} from '@openfeature/server-sdk';
import { checkContext, checkFlagKeys } from '../../options/check-arguments.js';
import { contextInRequest } from './merged-context.js';
import { REQUEST_VIEW, type RequestView } from './view.js';

/** Where a context carries the flags that its first evaluation prefetches. */
const PREFETCH: unique symbol = Symbol.for('openfeature-flipt-provider.prefetch') as never;

/** The options of {@link requestContext}. */
export interface RequestContextOptions {
  /** The view of the request, from `requestView` or `openRequestView`. */
  readonly view: RequestView;
  /**
   * The flags that the request will need. Its first evaluation asks Flipt for all of them in one batch, with the context
   * of that evaluation. Default: none.
   */
  readonly prefetch?: readonly string[] | undefined;
}

/**
 * Makes the context of a request: the present transaction context, `context` on top, and the request's view. The entries
 * `express` and `nest` call this for you. Throws a TypeError if `context` is not an object, or `prefetch` no list of
 * flag keys.
 *
 * @example
 * ```ts
 * import Fastify, { type FastifyRequest } from 'fastify';
 * import { requestContext, requestView, runInTransactionContext } from 'openfeature-flipt-provider';
 *
 * const fastify = Fastify();
 * fastify.addHook('preHandler', (request: FastifyRequest & { user?: { id: string } }, reply, done) => {
 *  const view = requestView(request.raw);
 *  const user = request.user ? { targetingKey: request.user.id } : {}; // set by your login
 *  runInTransactionContext(requestContext(user, { view, prefetch: ['new-checkout'] }), done);
 * });
 * ```
 */
export function requestContext(
  context: EvaluationContext,
  { view, prefetch = [] }: RequestContextOptions,
): EvaluationContext {
  checkContext('context', context);
  checkFlagKeys('prefetch', prefetch);
  const whole = contextInRequest({ ...context, [REQUEST_VIEW]: view });
  // A list of its own: the provider tells requests apart by it.
  return prefetch.length === 0 ? whole : Object.assign(whole, { [PREFETCH]: [...prefetch] });
}

/** Calls `prefetch` at the first evaluation of each request that names flags. */
export function prefetchingFirst(
  prefetch: (flagKeys: readonly string[], context: EvaluationContext) => Promise<void>,
): (context: EvaluationContext) => void {
  const begun = new WeakSet<readonly string[]>();
  return (context) => {
    const flagKeys = (context as { readonly [PREFETCH]?: readonly string[] })[PREFETCH];
    if (flagKeys === undefined || begun.has(flagKeys)) return;
    begun.add(flagKeys);
    void prefetch(flagKeys, context);
  };
}

/**
 * Runs `callback` with `context` as OpenFeature's transaction context, also for the asynchronous work that it starts,
 * and returns its result. Installs OpenFeature's AsyncLocalStorage propagator if there is none. Throws if the installed
 * propagator returns without having called `callback`.
 */
export function runInTransactionContext<T>(context: EvaluationContext, callback: () => T): T {
  if (!isPropagated()) {
    OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
  }
  let outcome: { readonly returned: T } | undefined;
  OpenFeature.setTransactionContext(context, () => {
    outcome = { returned: callback() };
  });
  if (outcome === undefined) throw new Error(NOT_CALLED);
  return outcome.returned;
}

const NOT_CALLED =
  'runInTransactionContext: the transaction context propagator did not call back before it returned';

/** Asked for each request, because other code can install a propagator at any time: less than a microsecond. */
function isPropagated(): boolean {
  let comesBack = false;
  OpenFeature.setTransactionContext({ targetingKey: MARKER }, () => {
    comesBack = Reflect.ownKeys(OpenFeature.getTransactionContext()).length > 0;
  });
  return comesBack;
}

const MARKER = 'openfeature-flipt-provider.marker';
