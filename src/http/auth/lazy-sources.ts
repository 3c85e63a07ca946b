/* Where credentials come from that no option holds: loaded on first use, because most apps have a token or nothing. */

import { ENDED } from '../../model/failure.js';
import type { AuthOptions } from '../../options/auth-options.js';
import type { ConnectionSettings } from '../../options/settings.js';
import type { Runtime } from '../../runtime.js';
import { inTime, untilAborted } from '../../time/in-time.js';
import { CredentialError, noCredentials, type CredentialSource, type LoginWay } from './credential-source.js';
import { functionSource } from './headers-function.js';
import { kubernetesSource } from './kubernetes-login.js';
import { fileSource } from './token-file.js';

type Lazy = Exclude<AuthOptions, { readonly token: string } | { readonly jwt: string }>;

/** The source of these credentials: the one place that chooses it. */
export function lazySource(
  auth: Lazy,
  settings: Pick<ConnectionSettings, 'url' | 'http'>,
  login: LoginWay,
  runtime: Runtime,
): CredentialSource {
  // A login has a time limit of its own.
  if ('kubernetes' in auth) return kubernetesSource(auth.kubernetes, settings, login, runtime);
  const source = 'tokenFile' in auth ? fileSource(auth.tokenFile) : functionSource(() => auth.headers());
  const { timeoutMs } = settings.http;
  const late = () => noCredentials(`auth took longer than ${timeoutMs} ms (http.timeoutMs)`);
  const ended = new CredentialError(ENDED);
  return async (again) => {
    const loading = untilAborted(source(again), login.ending, ended);
    const headers = await inTime(loading, timeoutMs, runtime.clock, late);
    if (headers instanceof CredentialError) throw headers;
    return headers;
  };
}
