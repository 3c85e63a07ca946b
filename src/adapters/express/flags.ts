import { OpenFeature, type Client, type EvaluationContext } from '@openfeature/server-sdk';
import type { RequestHandler, Request } from 'express';
import { requestContext, requestView, runInTransactionContext, type Prefetcher } from '../../index.js';
import { checkOptions } from '../../options/check-options.js';
import { contextTimeoutMs, domain, flagKeys, rulesWithoutSecrets } from '../../options/entry-rules.js';
import { contextInTime } from '../../provider/request/context-layers.js';
import { checkContext, isObject } from '../../base/text/describe.js';
import * as v from 'valibot';
import { callable, having, type RulesOf } from '../../options/shapes.js';

/**
 * Express middleware, for Express 5 and 4: gives each request its evaluation context, and one view of its flags.
 *
 * After it, every OpenFeature client knows the request's context, and `req.flags` is a client bound to it. A flag that is
 * resolved twice in one request has the same value. The middleware never waits for the service. Throws a TypeError if an
 * option is wrong.
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { flags } from 'openfeature-flipt-provider/express';
 *
 * const app = express();
 * app.use(
 *   flags({
 *     context: (req) => ({ targetingKey: req.get('x-user') ?? 'anonymous' }),
 *     prefetch: ['new-checkout', 'button-color'],
 *   }),
 * );
 * app.get('/', async (req, res) => {
 *   res.send((await req.flags.getBooleanValue('new-checkout', false)) ? 'new' : 'old');
 * });
 * ```
 */
export function flags(options: FlagsOptions): RequestHandler {
  checkCalled('flags', options);
  const { domain, contextTimeoutMs, provider } = checkOptions(flagsRules, options);
  const { prefetch } = options;
  return (req, res, next) => {
    const view = requestView(req, res);
    const enter = (context: EvaluationContext, goOn: () => void) => {
      req.flags = boundClient(domain, context);
      runInTransactionContext(changeable(context), goOn);
    };
    const known = async () => {
      const own = await contextInTime(options.context(req), contextTimeoutMs, 'flags');
      const flagKeys = typeof prefetch === 'function' ? prefetch(req) : prefetch;
      return requestContext(own, { view, prefetch: flagKeys, provider, domain });
    };
    known()
      .then((context) => {
        enter(context, next);
      })
      .catch((reason: unknown) => {
        // An error page may need flags, too. They are evaluated without the user.
        enter(requestContext({}, { view }), () => {
          next(asError('flags', reason));
        });
      });
  };
}

function boundClient(domain: string | undefined, context: EvaluationContext): Client {
  return domain === undefined ? OpenFeature.getClient(context) : OpenFeature.getClient(domain, context);
}

/** A wrong or unknown option is a TypeError that names it. It is thrown when the middleware is made. */
export interface FlagsOptions {
  /**
   * The user and other attributes of a request: at least a `targetingKey`. Called once for each request, when the
   * request reaches this middleware, so put it after the middleware that logs the user in. {@link setRequestContext}
   * adds to the context later. If it throws, rejects, takes longer than `contextTimeoutMs` or returns no object,
   * Express's error handling gets the error; an error page still has `req.flags`, without the user.
   */
  readonly context: (req: Request) => EvaluationContext | Promise<EvaluationContext>;
  /**
   * Milliseconds that an async `context` may take, at most 2147483647; then the error handling gets an error.
   * Default 1000.
   */
  readonly contextTimeoutMs?: number | undefined;
  /** OpenFeature's domain, for `req.flags` and for the provider to prefetch from. Default: the default one. */
  readonly domain?: string | undefined;
  /**
   * Flags that handlers will need: fetched in one batch with the request's first resolve, so that a route without flags,
   * such as a health check, asks for none. Default: none.
   */
  readonly prefetch?: readonly string[] | ((req: Request) => readonly string[]) | undefined;
  /**
   * The `FliptProvider` to prefetch from. Needed if it is not registered itself, as inside a MultiProvider.
   * Default: the provider registered for `domain`, if it can prefetch.
   */
  readonly provider?: Prefetcher | undefined;
}

export const flagsRules = rulesWithoutSecrets('flags', {
  context: callable(),
  contextTimeoutMs,
  domain,
  prefetch: v.optional(flagKeys),
  provider: v.optional(having<Prefetcher>(['prefetch'], 'a provider that can prefetch')),
} satisfies RulesOf<FlagsOptions>);

/**
 * The context of a request has, under this symbol, the function that adds to it. All copies of this package share the
 * symbol.
 */
const ADD = Symbol.for('openfeature-flipt-provider.express-context');

type Add = (partial: EvaluationContext) => void;

/**
 * Lets {@link setRequestContext} add to a context. `req.flags` and the transaction context both hold this same object.
 */
function changeable(context: EvaluationContext): EvaluationContext {
  const add: Add = (partial) => Object.assign(context, partial);
  // Not enumerable, so that copies do not get it: adding to a copy would have no effect here.
  return Object.defineProperty(context, ADD, { value: add });
}

/**
 * Adds to the context of the current request, for example after a login: all later resolves of `req.flags` and of other
 * clients use it. Throws an Error outside of a request that has passed the middleware `flags`, and a TypeError if
 * `partial` is not an object.
 *
 * @example
 * ```ts
 * import { setRequestContext } from 'openfeature-flipt-provider/express';
 *
 * setRequestContext({ targetingKey: 'user-7', plan: 'pro' });
 * ```
 */
export function setRequestContext(partial: EvaluationContext): void {
  checkContext('setRequestContext', partial);
  const { [ADD]: add } = OpenFeature.getTransactionContext() as { readonly [ADD]?: Add };
  if (add === undefined) {
    throw new Error(
      'setRequestContext: there is no request here whose context is known; ' +
        'use the middleware flags before it, and await what runs in a request',
    );
  }
  add(partial);
}

/** Throws a TypeError for a middleware that was passed to Express itself: it then gets a request as its options. */
export function checkCalled(owner: string, options: unknown): void {
  if (!isObject(options) || !('originalUrl' in options)) return;
  throw new TypeError(`${owner}: options: got a request: call it, app.use(${owner}({ context: … }))`);
}

/** Express treats a falsy reason as no error, and some strings as commands to its router. */
export function asError(owner: string, error: unknown): object {
  return isObject(error) ? error : new Error(`${owner}: context failed: ${String(error)}`, { cause: error });
}
