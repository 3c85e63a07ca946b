import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import type { Clock } from '../../clock.js';
import { FAILURES } from '../../model/failure-traits.js';
import type { Failure } from '../../model/failure.js';
import type { KubernetesLoginOptions } from '../../options/auth-options.js';
import { isHeaderText } from '../../text/header.js';
import { unsteered } from '../../text/quote.js';
import { failureKindOf } from '../status.js';
import { timeoutFailure } from '../network-failure.js';
import { statusWords, type Send } from '../reply.js';
import { LoginFailed, type CredentialSource } from './credential-source.js';
import { loginSource, type LogIn } from './login-source.js';

const DEFAULT_TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const PATH = '/auth/v1/method/kubernetes/serviceaccount';
/**
 * Long enough for the service to ask the cluster about the token. A request that waits for the login has its own limit.
 */
const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };

export interface KubernetesSettings {
  readonly login: true | KubernetesLoginOptions;
  readonly url: string;
  /** How long a request waits for a login. */
  readonly timeoutMs: number;
  /** Ends the renewals, and a login under way. */
  readonly ending: AbortSignal;
}

/** The credentials that a pod gets for its service account token; `send` sends a login, without credentials. */
export function kubernetesSource(
  { login, url, timeoutMs, ending }: KubernetesSettings,
  send: Send,
  clock: Clock,
  random: () => number,
): CredentialSource {
  const { kind, message } = timeoutFailure(url, timeoutMs, 'http.timeoutMs');
  const late = { kind, message: `the Kubernetes login takes long: ${message}` };
  // Without a background, a login ends with the call that waits for it.
  const limits = clock.hasBackground === false ? { download: { ...LIMITS, timeoutMs } } : {};
  const sendUntilEnded: Send = (request) => send({ ...request, ...limits, signal: ending });
  return loginSource(kubernetesLogin(login, url, sendUntilEnded), { timeoutMs, late, ending }, clock, random);
}

/** Logs in with the pod's service account token, which is read for each login: the cluster replaces it. */
export function kubernetesLogin(options: true | KubernetesLoginOptions, url: string, send: Send): LogIn {
  const path = (options === true ? undefined : options.tokenPath) ?? DEFAULT_TOKEN_PATH;
  return async () => {
    const serviceAccountToken = await tokenIn(path);
    const outcome = await send({
      method: 'POST',
      path: PATH,
      body: JSON.stringify({ serviceAccountToken }),
      secrets: [serviceAccountToken],
      download: LIMITS,
      repeatable: false,
    });
    if (outcome.kind !== 'reply') throw failed(outcome);
    if (outcome.status !== 200) {
      const message = `Flipt at ${url} answered ${statusWords(outcome)}`;
      throw failed({ kind: failureKindOf(outcome.status), message });
    }
    const login = v.safeParse(loginSchema, outcome.bytes?.toString('utf8'));
    // The message shows nothing of the reply, which may hold the token.
    if (!login.success) throw failed({ kind: 'credentials', message: `Flipt at ${url} returned no login` });
    const { clientToken, authentication } = login.output;
    // Flipt v2 has no client tokens of its own and returns the token that was sent.
    const scheme = clientToken === serviceAccountToken ? 'JWT' : 'Bearer';
    const expiresAt = authentication?.expiresAt;
    return {
      headers: { authorization: `${scheme} ${clientToken}` },
      expiresAt: expiresAt == null ? undefined : Date.parse(expiresAt),
    };
  };
}

const loginSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    clientToken: v.pipe(v.string(), v.nonEmpty(), v.check(isToken)),
    authentication: v.nullish(
      v.object({
        expiresAt: v.nullish(
          v.pipe(
            v.string(),
            v.check((text) => !Number.isNaN(Date.parse(text))),
          ),
        ),
      }),
    ),
  }),
);

async function tokenIn(path: string): Promise<string> {
  const name = `auth.kubernetes: ${unsteered(path)}`;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw failed({ kind: 'credentials', message: `${name} cannot be read (${code})` });
  });
  const token = text.trim();
  if (token !== '' && isToken(token)) return token;
  throw failed({ kind: 'credentials', message: `${name} does not hold a token` });
}

function isToken(text: string): boolean {
  return isHeaderText(text) && !text.includes(' ');
}

/**
 * Keeps the kind of an outage and of rejected credentials. Every other failure means that there are no credentials to
 * send.
 */
function failed({ kind, message }: Failure): LoginFailed {
  const { cause, countsForCircuit } = FAILURES[kind];
  const isKept = cause === 'credentials' || cause === 'provider' || countsForCircuit === 'yes';
  return new LoginFailed({
    kind: isKept ? kind : 'credentials',
    message: `the Kubernetes login failed: ${message}`,
  });
}
