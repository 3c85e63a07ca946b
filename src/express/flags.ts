import { OpenFeature, type Client, type EvaluationContext } from '@openfeature/server-sdk';
import type { Request, RequestHandler } from 'express';
import { inTime, systemClock } from '../clock.js';
import { requestContext, requestView, runInTransactionContext, type RequestView } from '../index.js';
import { checkOptions } from '../options/check-options.js';
import { isPromiseLike } from '../text/describe.js';
import { checkCalled } from './check-called.js';
import { changeable } from './express-context.js';
import { asError } from './express-error.js';
import { flagsRules, type FlagsOptions } from './flags-options.js';

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
  checkOptions(flagsRules, options);
  const { domain } = options;
  return (req, res, next) => {
    const view = requestView(req, res);
    const enter = (context: EvaluationContext, goOn: () => void) => {
      req.flags = boundClient(domain, context);
      runInTransactionContext(changeable(context), goOn);
    };
    contextOf(req, view, options)
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

async function contextOf(
  req: Request,
  view: RequestView,
  { context, contextTimeoutMs = 1000, prefetch, provider, domain }: FlagsOptions,
): Promise<EvaluationContext> {
  const late = () =>
    new Error(`flags: context has not settled within ${contextTimeoutMs} ms (contextTimeoutMs)`);
  const given = context(req);
  // Only a promise needs a timer.
  const own = isPromiseLike(given) ? await inTime(given, contextTimeoutMs, systemClock, late) : given;
  const flagKeys = typeof prefetch === 'function' ? prefetch(req) : prefetch;
  return requestContext(own, { view, prefetch: flagKeys, provider, domain });
}

function boundClient(domain: string | undefined, context: EvaluationContext): Client {
  return domain === undefined ? OpenFeature.getClient(context) : OpenFeature.getClient(domain, context);
}
