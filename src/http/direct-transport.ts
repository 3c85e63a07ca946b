import type { ConnectionSettings } from '../options/settings.js';
import type { Runtime } from '../model/runtime.js';
import { openAuthorizedTransport, type AuthorizedTransport } from './auth.js';
import type { Send } from './reply.js';
import { withRetries } from './retry.js';

/** Sends requests without the provider's cache, batches and circuit breaker, for the typed client and the command. */
export interface DirectTransport extends Pick<AuthorizedTransport, 'send' | 'close'> {
  readonly repeatedly: Send;
}

export function openDirectTransport(
  withinMs: number,
  settings: ConnectionSettings,
  ending: AbortSignal,
  runtime: Runtime,
): DirectTransport {
  const { send, close } = openAuthorizedTransport(settings, ending, runtime);
  const { retries } = settings.http;
  return { send, close, repeatedly: withRetries(send, { retries, withinMs }, runtime) };
}
