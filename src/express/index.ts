import type { Client } from '@openfeature/server-sdk';

export { flags } from './flags.js';
export type { FlagsOptions } from './flags-options.js';

declare global {
  namespace Express {
    interface Request {
      /**
       * An OpenFeature client bound to this request's context, set by the middleware `flags`. It knows the context also
       * where async context is lost, as in callbacks of a raw stream.
       */
      flags: Client;
    }
  }
}
