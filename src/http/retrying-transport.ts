import { openAuthorizedTransport } from './auth/authorized-transport.js';
import { withRetries } from './retries.js';

/**
 * The way to the service without the provider's layers. `repeatedly` sends again what fails, within `withinMs` after the
 * first attempt.
 */
export function openRetryingTransport(
  withinMs: number,
  ...[settings, ending, runtime]: Parameters<typeof openAuthorizedTransport>
) {
  const { send, close } = openAuthorizedTransport(settings, ending, runtime);
  const { retries } = settings.http;
  return { send, close, repeatedly: withRetries(send, { retries, withinMs }, runtime) };
}
