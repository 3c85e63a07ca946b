import {
  AsyncLocalStorageTransactionContextPropagator,
  OpenFeature,
  type EvaluationContext,
} from '@openfeature/server-sdk';
import { kindOf } from '../text/describe.js';
import { REQUEST_VIEW, type RequestView } from './view.js';

/** Something that can be asked for flags ahead of their use: a `FliptProvider`. */
export interface Prefetcher {
  /** Asks for flags in one batch; never rejects for what the service does. */
  prefetch(flagKeys: readonly string[], context: EvaluationContext): Promise<void>;
}

/** What belongs to a request beside its context. */
export interface RequestContextOptions {
  /** Within it, a flag asked twice for the same context answers the same. */
  readonly view: RequestView;
  /** Flags to ask for now, in one batch: a later resolve finds them known or joins the request. Default: none. */
  readonly prefetch?: readonly string[] | undefined;
  /** Who is asked for them. Default: the provider registered for `domain`, if it can be asked ahead. */
  readonly provider?: Prefetcher | undefined;
  /** OpenFeature's domain. Default: the default one. */
  readonly domain?: string | undefined;
}

/**
 * The transaction context of a request: `context` over the transaction context that is there already, with the
 * request's view. Starts to prefetch and does not wait for it: a silent service delays no request.
 *
 * Throws a TypeError if `context` is no object or `prefetch` no list of flag keys.
 *
 * The express and nest entries do this for you; it is public for all other frameworks.
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
  checkContext(context);
  const whole = { ...OpenFeature.getTransactionContext(), ...context, [REQUEST_VIEW]: view };
  if (prefetch !== undefined) prefetchFlags(prefetch, whole, provider ?? registeredPrefetcher(domain));
  return whole;
}

/**
 * Runs `callback` with `context` as OpenFeature's transaction context, and returns what it returns. The context replaces
 * the one that is there. Installs OpenFeature's AsyncLocalStorageTransactionContextPropagator if there is no propagator.
 */
export function runInTransactionContext<T>(context: EvaluationContext, callback: () => T): T {
  if (!isPropagated()) {
    OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
  }
  // OpenFeature returns nothing, and a propagator may call back later.
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
 * Whether a propagator is there: with OpenFeature's own stand-in nothing of a transaction context comes back, and what
 * comes back from somebody's own need not be what was put in. Looked at each time, for others install a propagator too,
 * and it costs less than a microsecond.
 */
function isPropagated(): boolean {
  let comesBack = false;
  OpenFeature.setTransactionContext({ targetingKey: MARKER }, () => {
    comesBack = Reflect.ownKeys(OpenFeature.getTransactionContext()).length > 0;
  });
  return comesBack;
}

const MARKER = 'openfeature-flipt-provider.marker';

function checkContext(context: unknown): asserts context is EvaluationContext {
  if (typeof context === 'object' && context !== null && !Array.isArray(context)) return;
  throw new TypeError(`context: expected an object such as { targetingKey: … }, got ${kindOf(context)}`);
}

function prefetchFlags(
  flagKeys: readonly string[],
  context: EvaluationContext,
  provider: Prefetcher | undefined,
): void {
  if (!Array.isArray(flagKeys) || !flagKeys.every((key) => typeof key === 'string')) {
    throw new TypeError('prefetch: expected a list of flag keys');
  }
  if (flagKeys.length === 0 || provider === undefined) return;
  // As a client will ask with: the key of the cache is made of the whole context.
  void askAhead(provider, flagKeys, { ...OpenFeature.getContext(), ...context });
}

/** Never rejects: another vendor's `prefetch` may throw, or give no promise. A resolve shows what goes wrong. */
async function askAhead(
  provider: Prefetcher,
  flagKeys: readonly string[],
  context: EvaluationContext,
): Promise<void> {
  try {
    await provider.prefetch(flagKeys, context);
  } catch {
    return;
  }
}

function registeredPrefetcher(domain: string | undefined): Prefetcher | undefined {
  const provider = domain === undefined ? OpenFeature.getProvider() : OpenFeature.getProvider(domain);
  return isPrefetcher(provider) ? provider : undefined;
}

function isPrefetcher(provider: object): provider is Prefetcher {
  return 'prefetch' in provider && typeof provider.prefetch === 'function';
}
