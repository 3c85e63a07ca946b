import type { Client } from '@openfeature/server-sdk';

export { flags, setRequestContext, type FlagsOptions } from './flags.js';
export { ofrep } from './ofrep.js';
export type { FlagEvaluator, OfrepOptions, PushOptions, ValueKind } from '../ofrep/options.js';

declare global {
  namespace Express {
    interface Request {
      /**
       * An OpenFeature client that is bound to this request's context. The middleware `flags` sets `req.flags`. The
       * client uses the context even where Node loses the async context, as in callbacks of a raw stream. On an error
       * page that is sent because `context` has failed, the client evaluates flags without the user.
       */
      flags: Client;
    }
  }
}
