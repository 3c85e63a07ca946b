import * as v from 'valibot';
import { FAILURES, type Failure } from '../../model/failure.js';
import type { KubernetesLoginOptions } from '../../options/connection-options.js';
import type { ConnectionSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import { isToken } from '../../base/text/header.js';
import { unsteered } from '../../base/text/describe.js';
import { timeoutFailure } from '../network-failure.js';
import type { Send } from '../reply.js';
import { statusFailure } from '../reply-message.js';
import { authHeaders, CredentialError, type CredentialSource, type LoginWay } from './credential-source.js';
import { loginSource, type LogIn } from './login-renewal.js';
import { readToken } from './token-file.js';

const DEFAULT_TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const PATH = '/auth/v1/method/kubernetes/serviceaccount';
/**
 * A login can take this long, because Flipt asks the Kubernetes cluster about the token. A request
 * that waits for the login has a limit of its own, `http.timeoutMs`.
 */
const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };

/** Returns a source of the credentials that a pod gets for its service account token. */
export function kubernetesSource(
  options: true | KubernetesLoginOptions,
  { url, http: { timeoutMs } }: Pick<ConnectionSettings, 'url' | 'http'>,
  { send, ending }: LoginWay,
  runtime: Pick<Runtime, 'clock' | 'random'>,
): CredentialSource {
  const { kind, message } = timeoutFailure(url, timeoutMs, 'http.timeoutMs');
  const late = { kind, message: `the Kubernetes login takes too long: ${message}` };
  const sendUntilEnded: Send = (request) => send({ ...request, signal: ending });
  const logIn = kubernetesLogin(options, url, sendUntilEnded);
  return loginSource(logIn, { timeoutMs, late, ending }, runtime);
}

/**
 * Logs in with the pod's service account token. The token is read for each login, because the cluster replaces the
 * token from time to time.
 */
export function kubernetesLogin(options: true | KubernetesLoginOptions, url: string, send: Send): LogIn {
  const path = (options === true ? undefined : options.tokenPath) ?? DEFAULT_TOKEN_PATH;
  const problem = (why: string) =>
    loginFailed({ kind: 'credentials', message: `auth.kubernetes: ${unsteered(path)} ${why}` });
  return async () => {
    const serviceAccountToken = await readToken(path, problem);
    if (!isToken(serviceAccountToken)) throw problem('does not hold a token');
    const outcome = await send({
      method: 'POST',
      path: PATH,
      body: JSON.stringify({ serviceAccountToken }),
      secrets: [serviceAccountToken],
      download: LIMITS,
      repeatable: false,
    });
    if (outcome.kind !== 'reply') throw loginFailed(outcome);
    if (outcome.status !== 200) throw loginFailed(statusFailure(url, outcome));
    const login = v.safeParse(loginSchema, outcome.bytes?.toString('utf8'));
    // The message quotes nothing from the reply, because the reply might hold the token.
    if (!login.success)
      throw loginFailed({ kind: 'credentials', message: `Flipt at ${url} returned no usable login` });
    const { clientToken, authentication } = login.output;
    // After a Kubernetes login, Flipt v2 makes no client token, but returns the token that was sent.
    const scheme = clientToken === serviceAccountToken ? 'JWT' : 'Bearer';
    return { headers: authHeaders(scheme, clientToken), expiresAt: authentication?.expiresAt ?? undefined };
  };
}

/** `Date.parse` returns NaN for a text that is not a date, and the schema does not accept NaN as a number. */
const dateSchema = v.pipe(v.string(), v.transform(Date.parse), v.number());

const loginSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    clientToken: v.pipe(v.string(), v.check(isToken)),
    authentication: v.nullish(v.object({ expiresAt: v.nullish(dateSchema) })),
  }),
);

/**
 * Makes the error of a failed login. The error keeps the kind of a failure that counts for the circuit breaker in any
 * case, such as a time-out, and of a failure whose cause is the credentials or the provider itself. If the login fails
 * for another reason, such as an unreadable response, the kind of the error is `credentials`, because there are no
 * credentials to send.
 */
function loginFailed({ kind, message }: Failure): CredentialError {
  const { cause, countsForCircuit } = FAILURES[kind];
  const isKept = cause === 'credentials' || cause === 'provider' || countsForCircuit === 'yes';
  return new CredentialError({
    kind: isKept ? kind : 'credentials',
    message: `the Kubernetes login failed: ${message}`,
  });
}
