import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import type { Request, RequestHandler } from 'express';
import * as v from 'valibot';
import { checkContext } from '../../options/check-arguments.js';
import {
  REQUEST_VIEW,
  requestContext,
  requestView,
  runInTransactionContext,
} from 'openfeature-flipt-provider';
import { checkOptions } from '../../options/check-options.js';
import { callable, domain, flagKeys, optionRules, type RulesOf } from '../../options/value-rules.js';
import { givenContext } from '../given-context.js';

/** A wrong or unknown option is a TypeError that names it. */
export interface FlagsOptions {
  /**
   * The user of a request: usually at least a `targetingKey`. Put `flags` after the middleware that logs the user in.
   * If `context` fails, or takes longer than 1 s, Express's error handling gets the error, and `req.flags` evaluates
   * without the user.
   */
  readonly context: (req: Request) => EvaluationContext | Promise<EvaluationContext>;
  /** The OpenFeature domain of `req.flags`. Default: the default domain. */
  readonly domain?: string | undefined;
  /** Flags that handlers will need: the first evaluation asks for all of them in one batch. Default: none. */
  readonly prefetch?: readonly string[] | ((req: Request) => readonly string[]) | undefined;
}

export const flagsRules = optionRules('flags', {
  context: callable(),
  domain,
  prefetch: v.optional(flagKeys),
} satisfies RulesOf<FlagsOptions>);

/**
 * Gives each request, in Express 4 and 5, its evaluation context and one view of the flags: for up to 30 s, a flag keeps
 * its value for the same context. In later handlers, OpenFeature clients use the context, and `req.flags` is a client
 * that is bound to it.
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
 *     context: ({ user }: Request & { user?: { id: string } }) => (user ? { targetingKey: user.id } : {}),
 *     prefetch: ['new-checkout', 'button-color'],
 *   }),
 * );
 * app.get('/', async (req, res) => {
 *   res.send((await req.flags.getBooleanValue('new-checkout', false)) ? 'new' : 'old');
 * });
 * ```
 */
export function flags(options: FlagsOptions): RequestHandler {
  const { domain } = checkOptions(flagsRules, options);
  const { context, prefetch } = options;
  return (req, _res, next) => {
    const view = requestView(req);
    const enter = (ofRequest: EvaluationContext, goOn: () => void) => {
      req.flags =
        domain === undefined ? OpenFeature.getClient(ofRequest) : OpenFeature.getClient(domain, ofRequest);
      runInTransactionContext(ofRequest, goOn);
    };
    const known = async () => {
      const own = await givenContext(context(req), 'flags');
      return requestContext(own, {
        view,
        prefetch: typeof prefetch === 'function' ? prefetch(req) : prefetch,
      });
    };
    known()
      .then((ofRequest) => {
        enter(ofRequest, next);
      })
      .catch((error: unknown) => {
        // An error page may have flags, too.
        enter(requestContext({}, { view }), () => {
          next(error);
        });
      });
  };
}

/**
 * Adds attributes to the context of the current request, for its later evaluations. Throws an Error outside of a request
 * that has passed the middleware `flags`.
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
  const ofRequest = OpenFeature.getTransactionContext();
  if (!(REQUEST_VIEW in ofRequest)) {
    throw new Error(
      'setRequestContext: this code does not run in a request whose context is known; ' +
        'use the middleware flags before this handler, and await what runs in a request',
    );
  }
  // `req.flags` holds the same object.
  Object.assign(ofRequest, partial);
}
