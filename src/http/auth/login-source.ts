import { inTime, LARGEST_TIMER_MS, outsideRequests, type Clock } from '../../clock.js';
import { traitsOf } from '../../model/failure-traits.js';
import type { Failure } from '../../model/failure.js';
import { LoginFailed, type AuthHeaders, type CredentialSource } from './credential-source.js';

export interface Login {
  readonly headers: AuthHeaders;
  /** Milliseconds since the epoch; `undefined`: it does not expire. */
  readonly expiresAt: number | undefined;
}

/** Rejects with a LoginFailed. */
export type LogIn = () => Promise<Login>;

/** A login in use. `since` and `endsAt` are milliseconds of the clock's `now`. */
interface HeldLogin extends Login {
  readonly since: number;
  readonly endsAt: number;
  /** `undefined`: it does not expire, and is not renewed. */
  readonly renewAfterMs: number | undefined;
}

export interface LoginSettings {
  /** How long a caller waits for a login. */
  readonly timeoutMs: number;
  /** The failure that a caller gets after that time. */
  readonly late: Failure;
  /** Ends the renewals. */
  readonly ending: AbortSignal;
}

/** A login is renewed after a random share of its life, so that many instances do not log in together. */
const RENEWED_AFTER = { least: 0.75, most: 0.85 };
/**
 * When to renew again after a failed renewal, or if the new login ends when the old one did because the file still
 * holds the same token.
 */
const RENEWED_AGAIN_AFTER_MS = 60_000;
/** Used for a login that seems to have ended already: then this machine's date and the service's differ. */
const SHORTEST_LIFE_MS = 60_000;
/**
 * Pause after a login with rejected credentials, and after a new login that the service rejects. Otherwise each request
 * would log in again.
 */
const PAUSE_MS = 1_000;

/**
 * Keeps one login, and renews it in the background even without requests, so that the first request after a quiet hour
 * does not wait. Only one login is under way at a time. A caller waits for it at most `timeoutMs`; the login itself
 * continues for the next caller.
 */
export function loginSource(
  logIn: LogIn,
  { timeoutMs, late, ending }: LoginSettings,
  clock: Clock,
  random: () => number,
): CredentialSource {
  let held: HeldLogin | undefined;
  let refused: { readonly until: number; readonly error: LoginFailed } | undefined;
  let underWay: Promise<HeldLogin> | undefined;
  let cancelRenewal: () => void = () => undefined;
  ending.addEventListener('abort', () => {
    cancelRenewal();
  });

  const begin = (): Promise<HeldLogin> =>
    outsideRequests(logIn).then(
      (login) => {
        refused = undefined;
        held = heldLogin(login, held, clock, random());
        renewAfter(held.renewAfterMs);
        return held;
      },
      (error: unknown) => {
        if (error instanceof LoginFailed && traitsOf(error.failure).cause === 'credentials')
          refused = { until: clock.now() + PAUSE_MS, error };
        throw error;
      },
    );
  const start = (): Promise<HeldLogin> => {
    if (clock.hasBackground === false) return begin();
    underWay ??= begin().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  const renewAfter = (ms: number | undefined) => {
    cancelRenewal();
    if (ms === undefined || ending.aborted) return;
    cancelRenewal = clock.after(Math.min(ms, LARGEST_TIMER_MS), renew, 'background');
  };
  const renew = () => {
    start().catch(() => {
      // The old login is still valid. After its end, the next caller logs in.
      if (held !== undefined && clock.now() < held.endsAt) renewAfter(RENEWED_AGAIN_AFTER_MS);
    });
  };

  /** Without a background, the first call after the renewal's time renews the login. */
  const renewHere = async (old: HeldLogin): Promise<AuthHeaders> => {
    const now = clock.now();
    if (old.renewAfterMs === undefined || now < old.since + old.renewAfterMs) return old.headers;
    // Meanwhile, the others use the old login, which is still valid.
    held = { ...old, renewAfterMs: now - old.since + RENEWED_AGAIN_AFTER_MS };
    const { headers } = await start().catch(() => old);
    return headers;
  };

  return async (again) => {
    const now = clock.now();
    const isJustMade = held !== undefined && now - held.since < PAUSE_MS;
    if (held !== undefined && (again ? isJustMade : now < held.endsAt))
      return clock.hasBackground === false ? renewHere(held) : held.headers;
    if (refused !== undefined && now < refused.until) throw refused.error;
    const { headers } = await inTime(start(), timeoutMs, clock, () => new LoginFailed(late));
    return headers;
  };
}

function heldLogin(login: Login, before: HeldLogin | undefined, clock: Clock, random: number): HeldLogin {
  const since = clock.now();
  const { headers, expiresAt } = login;
  if (expiresAt === undefined)
    return { headers, expiresAt, since, endsAt: Infinity, renewAfterMs: undefined };
  const leftMs = expiresAt - clock.date();
  const lifeMs = leftMs > 0 ? leftMs : SHORTEST_LIFE_MS;
  const share = RENEWED_AFTER.least + (RENEWED_AFTER.most - RENEWED_AFTER.least) * random;
  const renewAfterMs = expiresAt === before?.expiresAt ? RENEWED_AGAIN_AFTER_MS : lifeMs * share;
  return { headers, expiresAt, since, endsAt: since + lifeMs, renewAfterMs };
}
