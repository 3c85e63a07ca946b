import type { Client } from '@openfeature/server-sdk';

export { flags, setRequestContext, type FlagsOptions } from './flags.js';
export { ofrep } from './ofrep.js';
export type { FlagEvaluator, OfrepOptions, PushOptions, ValueKind } from '../ofrep/ofrep-options.js';

declare global {
  namespace Express {
    interface Request {
      /**
       * An OpenFeature client bound to this request's context, set by the middleware `flags`. It knows the context even
       * where async context is lost, as in callbacks of a raw stream. In an error page after `context` has failed, it
       * evaluates without the user.
       */
      flags: Client;
    }
  }
}
