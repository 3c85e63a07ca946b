import type { Client } from '@openfeature/server-sdk';

export { flags, setRequestContext, type FlagsOptions } from './flags.js';
export { ofrep } from './ofrep.js';
export type { FlagEvaluator, OfrepOptions, PushOptions, ValueKind } from '../ofrep/options.js';

declare global {
  namespace Express {
    interface Request {
      /**
       * A client that is bound to this request's context, even where Node loses the async context, as in callbacks of
       * a raw stream. On the error page of a failed `context`, it evaluates without the user.
       */
      flags: Client;
    }
  }
}
