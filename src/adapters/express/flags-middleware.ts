import { OpenFeature, type Client, type EvaluationContext } from '@openfeature/server-sdk';
import type { RequestHandler, Request } from 'express';
import { requestContext, requestView, runInTransactionContext } from 'openfeature-flipt-provider';
import { checkOptions } from '../../options/check-options.js';
import { contextInTime } from '../../provider/per-request/context-timeout.js';
import { checkContext, isObject } from '../../base/text/describe.js';
import * as v from 'valibot';
import {
  callable,
  contextTimeoutMs,
  domain,
  flagKeys,
  rulesWithoutSecrets,
  type RulesOf,
} from '../../options/value-rules.js';

/**
 * Creates the middleware for Express 4 and 5 that gives each request its evaluation context, and one view of its flags:
 * for up to 30 s, a flag that is resolved again with the same context usually has the same value.
 *
 * In the handlers after this middleware, OpenFeature clients use the request's context, and `req.flags` is a client
 * that is bound to this context. The middleware never waits for Flipt. Throws a TypeError if an option is wrong.
 *
 * @example
 * ```ts
 * import express, { type Request } from 'express';
 * import { flags } from 'openfeature-flipt-provider/express';
 *
 * const app = express();
 * app.use(
 *   flags({
 *     // Your login has set `user`, such as Passport's. Whatever a browser itself sends is no proof of who it is.
 *     context: (req: Request & { user?: { id: string } }) => ({ targetingKey: req.user?.id ?? 'anonymous' }),
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
  const { domain, contextTimeoutMs } = checkOptions(flagsRules, options);
  const { prefetch } = options;
  return (req, res, next) => {
    const view = requestView(req);
    const enter = (context: EvaluationContext, goOn: () => void) => {
      req.flags = boundClient(domain, context);
      runInTransactionContext(changeable(context), goOn);
    };
    const contextOfRequest = async () => {
      const own = await contextInTime(options.context(req), contextTimeoutMs, 'flags');
      const flagKeys = typeof prefetch === 'function' ? prefetch(req) : prefetch;
      return requestContext(own, { view, prefetch: flagKeys });
    };
    contextOfRequest()
      .then((context) => {
        enter(context, next);
      })
      .catch((reason: unknown) => {
        // Express's error page might need flags, too. The flags of the error page are evaluated without the user,
        // because the option `context` or `prefetch` has failed.
        enter(requestContext({}, { view }), () => {
          next(asError('flags', reason));
        });
      });
  };
}

function boundClient(domain: string | undefined, context: EvaluationContext): Client {
  return domain === undefined ? OpenFeature.getClient(context) : OpenFeature.getClient(domain, context);
}

/** The options of {@link flags}, which throws a TypeError that names a wrong or unknown option. */
export interface FlagsOptions {
  /**
   * Returns the user and other attributes of a request: usually at least a `targetingKey`. The function is called when
   * the request reaches this middleware, so put `flags` after the middleware that logs the user in.
   * {@link setRequestContext} can add attributes to the context later. If the function throws, rejects, takes longer
   * than `contextTimeoutMs` or returns no object, Express's error handling gets the error. After an error of `context`,
   * `req.flags` still works on the error page, but evaluates flags without the user.
   */
  readonly context: (req: Request) => EvaluationContext | Promise<EvaluationContext>;
  /**
   * How long an async `context` can take, in milliseconds. The largest possible value is 2147483647. If `context` takes
   * longer, Express's error handling gets an error. Default 1000.
   */
  readonly contextTimeoutMs?: number | undefined;
  /** The OpenFeature domain of `req.flags`, and of the provider that prefetches. Default: the default domain. */
  readonly domain?: string | undefined;
  /**
   * The keys of flags that handlers will need. When the request first resolves a flag, the provider asks Flipt together
   * for those flags in `prefetch` that it can answer neither from its cache nor in-process. A route that resolves no
   * flag, such as a health check, causes no request to Flipt. Default: none.
   */
  readonly prefetch?: readonly string[] | ((req: Request) => readonly string[]) | undefined;
}

export const flagsRules = rulesWithoutSecrets('flags', {
  context: callable(),
  contextTimeoutMs,
  domain,
  prefetch: v.optional(flagKeys),
} satisfies RulesOf<FlagsOptions>);

/**
 * The context of a request holds, under this symbol, the function that adds attributes to the context. All copies of
 * this package share the symbol.
 */
const ADD = Symbol.for('openfeature-flipt-provider.express-context');

type Add = (partial: EvaluationContext) => void;

/**
 * Lets {@link setRequestContext} add attributes to a context. The client `req.flags` and the transaction context hold
 * the same context object, so both get the added attributes.
 */
function changeable(context: EvaluationContext): EvaluationContext {
  const add: Add = (partial) => Object.assign(context, partial);
  // The member under `ADD` is not enumerable, so that copies of the context do not have it: attributes that are added
  // to a copy would have no effect.
  return Object.defineProperty(context, ADD, { value: add });
}

/**
 * Adds attributes to the context of the current request, for example after a login. Later resolves of `req.flags` and
 * of other clients in this request use these attributes. Throws an Error if the calling code does not run in the async
 * context of a request that has passed the middleware `flags`, and a TypeError if `partial` is not an object.
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
      'setRequestContext: this code does not run in a request whose context is known; ' +
        'use the middleware flags before this handler, and await what runs in a request',
    );
  }
  add(partial);
}

/**
 * Throws a TypeError if somebody has passed the function itself to Express, as in `app.use(flags)`: Express would call
 * the function with a request instead of options.
 */
export function checkCalled(owner: string, options: unknown): void {
  if (!isObject(options) || !('originalUrl' in options)) return;
  throw new TypeError(
    `${owner}: options: got a request: call ${owner} yourself, as in app.use(${owner}({ context: … }))`,
  );
}

/**
 * Returns an object for anything that was thrown. Express ignores a falsy value that is passed to `next`, and treats
 * some strings, such as `'route'`, as commands to its router.
 */
export function asError(owner: string, error: unknown): object {
  return isObject(error) ? error : new Error(`${owner}: context failed: ${String(error)}`, { cause: error });
}
