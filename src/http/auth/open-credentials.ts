import type { Clock } from '../../clock.js';
import type { Reporter } from '../../diagnostics/diagnostics.js';
import type { ConnectionSettings } from '../../options/settings.js';
import { ENDED, type Send } from '../reply.js';
import { LoginFailed, type CredentialSource } from './credential-source.js';
import { credentialsFrom, credentialsOf, type Credentials } from './credentials.js';

/**
 * The credentials that the options name. `send` sends a login, without credentials; `ending` ends logins and their
 * renewals.
 */
export function openCredentials(
  { auth, url, http: { timeoutMs } }: Pick<ConnectionSettings, 'auth' | 'url' | 'http'>,
  { send, ending }: { readonly send: Send; readonly ending: AbortSignal },
  clock: Clock,
  random: () => number,
  reporter?: Reporter,
): Credentials {
  if (auth === undefined || !('kubernetes' in auth))
    return credentialsOf(auth, clock, { timeoutMs, ending }, reporter);
  const { kubernetes: login } = auth;
  let source: Promise<CredentialSource> | undefined;
  const open = async () => {
    // Loaded on first use: most apps need no login.
    const { kubernetesSource } = await import('./kubernetes-login.js');
    return kubernetesSource({ login, url, timeoutMs, ending }, send, clock, random);
  };
  return credentialsFrom(
    async (again) => {
      const headers = await (source ??= open());
      // Loaded after the close: a login would only set timers.
      if (ending.aborted) throw new LoginFailed(ENDED);
      return headers(again);
    },
    clock,
    reporter,
  );
}
