import * as v from 'valibot';
import { coalesced, outsideRequests } from '../base/time/background-work.js';
import type { Clock } from '../base/time/clock.js';
import { inTime } from '../base/time/in-time.js';
import { FAILURES, type Failure } from '../model/failure.js';
import type { KubernetesLoginOptions } from '../options/connection-options.js';
import type { ConnectionSettings } from '../options/settings.js';
import {
  authHeaders,
  CredentialError,
  isToken,
  readToken,
  type AuthHeaders,
  type CredentialSource,
} from './credentials.js';
import { CONNECT_MS } from './dispatcher.js';
import { statusFailure, timeoutFailure } from './failures.js';
import type { Send } from './reply.js';

const DEFAULT_TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const PATH = '/auth/v1/method/kubernetes/serviceaccount';
/** Flipt asks the cluster about the token. */
const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };
const RENEWED_AFTER = 0.8;
/** A login that has ended by this machine's clock is probably valid: only the clocks differ. */
const SHORTEST_LIFE_MS = 60_000;
/** Each request that Flipt rejects would log in, without a pause. */
const PAUSE_MS = 1_000;

/** Keeps one login, which the first request after 80 % of its life renews. */
export function kubernetesLogin(
  options: true | KubernetesLoginOptions,
  { url, http }: Pick<ConnectionSettings, 'url' | 'http'>,
  send: Send,
  ending: AbortSignal,
  clock: Clock,
): CredentialSource {
  const path = (options === true ? undefined : options.tokenPath) ?? DEFAULT_TOKEN_PATH;
  let held: { readonly headers: AuthHeaders; readonly renewAt: number; readonly endsAt: number } | undefined;
  let last: Promise<AuthHeaders> | undefined;
  let triedAt = -Infinity;

  const logIn = async () => {
    try {
      const { headers, expiresAt = Infinity } = await askedOnce(path, url, send, ending);
      const leftMs = expiresAt - clock.date();
      const lifeMs = leftMs > 0 ? leftMs : SHORTEST_LIFE_MS;
      held = { headers, renewAt: clock.now() + lifeMs * RENEWED_AFTER, endsAt: clock.now() + lifeMs };
      return headers;
    } finally {
      triedAt = clock.now();
    }
  };
  const sharedLogIn = coalesced(() => outsideRequests(logIn));
  const waitMs = http.timeoutMs + CONNECT_MS;
  const { kind, message } = timeoutFailure(url, waitMs);
  const late = () =>
    new CredentialError({ kind, message: `the Kubernetes login takes too long: ${message}` });

  return async (again) => {
    const now = clock.now();
    const isJustTried = now - triedAt < PAUSE_MS;
    if (!isJustTried && (again || held === undefined || now >= held.renewAt)) last = sharedLogIn();
    // The old login is good until the new one has come.
    if (held !== undefined && !again && now < held.endsAt) return held.headers;
    return inTime(last ?? sharedLogIn(), waitMs, clock, late);
  };
}

async function askedOnce(path: string, url: string, send: Send, signal: AbortSignal) {
  const serviceAccountToken = await readToken(path, 'auth.kubernetes');
  const outcome = await send({
    method: 'POST',
    path: PATH,
    body: JSON.stringify({ serviceAccountToken }),
    secrets: [serviceAccountToken],
    download: LIMITS,
    repeatable: false,
    signal,
  });
  if (outcome.kind !== 'reply') throw loginFailed(outcome);
  if (outcome.status !== 200) throw loginFailed(statusFailure(url, outcome));
  const login = v.safeParse(loginSchema, outcome.bytes?.toString('utf8'));
  // The reply may hold the token.
  if (!login.success)
    throw loginFailed({ kind: 'credentials', message: `Flipt at ${url} returned no usable login` });
  const { clientToken, authentication } = login.output;
  // Flipt v2 makes no client token, but returns the one that was sent.
  const scheme = clientToken === serviceAccountToken ? 'JWT' : 'Bearer';
  return { headers: authHeaders(scheme, clientToken), expiresAt: authentication?.expiresAt ?? undefined };
}

/** `Date.parse` returns NaN for what is no date, and the schema accepts no NaN. */
const dateSchema = v.pipe(v.string(), v.transform(Date.parse), v.number());

const loginSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    clientToken: v.pipe(v.string(), v.check(isToken)),
    authentication: v.nullish(v.object({ expiresAt: v.nullish(dateSchema) })),
  }),
);

/** A failure of the network, and what is the credentials' or our own fault, keeps its kind. */
function loginFailed({ kind, message }: Failure): CredentialError {
  const { cause, retryable } = FAILURES[kind];
  const isKept = cause === 'credentials' || cause === 'provider' || retryable || kind === 'timeout';
  return new CredentialError({
    kind: isKept ? kind : 'credentials',
    message: `the Kubernetes login failed: ${message}`,
  });
}
