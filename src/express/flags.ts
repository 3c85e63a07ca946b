import { OpenFeature, type Client, type EvaluationContext } from '@openfeature/server-sdk';
import type { RequestHandler } from 'express';
import { requestContext, requestView, runInTransactionContext } from '../index.js';
import { checkOptions } from '../options/check-options.js';
import { contextInTime } from '../options/entry-rules.js';
import { changeable } from './express-context.js';
import { asError, checkCalled } from './middleware-errors.js';
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
