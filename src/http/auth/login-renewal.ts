import { type Clock, oneTimer } from '../../base/time/clock.js';
import { inTime } from '../../base/time/in-time.js';
import { outsideRequests, coalesced } from '../../base/time/background-work.js';
import { policyOf, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { CredentialError, type AuthHeaders, type CredentialSource } from './credential-source.js';

export interface Login {
  readonly headers: AuthHeaders;
  /** When the login ends, in milliseconds since the epoch, or `undefined` if Flipt names no end. */
  readonly expiresAt: number | undefined;
}

/** Logs in once. Rejects with a {@link CredentialError} if the login fails. */
export type LogIn = () => Promise<Login>;

export interface LoginSettings {
  /** How many milliseconds a caller waits for a login. */
  readonly timeoutMs: number;
  /** The failure that a caller gets if the login has not ended after `timeoutMs`. */
  readonly late: Failure;
  /** Aborting this signal ends the renewals in the background. */
  readonly ending: AbortSignal;
}

/** A login is usually renewed after a random share of its lifetime, so that many instances do not log in together. */
const RENEWED_AFTER = { least: 0.75, most: 0.85 };
/**
 * After this time, a login is renewed again if the renewal failed, or if the new login has the same end as the old one,
 * for example because the token file still holds the same token.
 */
const RENEWED_AGAIN_AFTER_MS = 60_000;
/**
 * If a new login seems to have ended already, the login is used for this many milliseconds. A login that seems to have
 * ended already is probably valid, and only the clocks of this machine and of Flipt differ.
 */
const SHORTEST_LIFE_MS = 60_000;
/**
 * After a login, and after a login that has failed because of the credentials, requests begin no other login for at
 * least this many milliseconds. Without this pause, each request that Flipt rejects would cause another login.
 */
const PAUSE_MS = 1_000;
/**
 * If a login is valid for fewer milliseconds than this, the provider makes a pause before the next login, and uses the
 * old login until then. The pause doubles with each further login that is valid for less than this time, up to a
 * minute. Without the pause, the provider would log in hundreds of times in a second if each login ended at once.
 */
const SHORT_LIFE_MS = 10_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Returns a credential source that keeps one login. The source renews the login even if there are no requests, so
 * that the first request after a quiet hour does not wait. Only one login is under way at a time. A caller waits for
 * the login for at most `timeoutMs`; after that, the login continues for the next caller.
 */
export function loginSource(
  logIn: LogIn,
  { timeoutMs, late, ending }: LoginSettings,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
): CredentialSource {
  let held: HeldLogin | undefined;
  let rejected: { readonly until: number; readonly error: CredentialError } | undefined;
  const renewal = oneTimer(clock);
  ending.addEventListener('abort', renewal.stop);

  const hold = (login: HeldLogin): HeldLogin => {
    renewal.stop();
    held = login;
    const ms = login.renewAt - clock.now();
    const isOver = clock.now() >= Math.max(login.endsAt, login.since + login.pauseMs);
    if (ms < Infinity && !isOver && !ending.aborted) renewal.set(ms, () => void renew(login));
    return login;
  };
  const start = coalesced((): Promise<HeldLogin> =>
    outsideRequests(logIn).then(
      (login) => {
        rejected = undefined;
        return hold(heldLogin(login, held, clock, random()));
      },
      (error: unknown) => {
        if (error instanceof CredentialError && policyOf(error.failure).cause === 'credentials')
          rejected = { until: clock.now() + PAUSE_MS, error };
        throw error;
      },
    ),
  );
  /**
   * Renews a login in the background. The old login is used while the new login is under way, and also if the renewal
   * fails. After the end of the old login, the next caller logs in.
   */
  const renew = (old: HeldLogin): Promise<HeldLogin> => {
    hold({ ...old, renewAt: clock.now() + RENEWED_AGAIN_AFTER_MS });
    return start().catch(() => old);
  };

  return async (again) => {
    const now = clock.now();
    const isJustMade = held !== undefined && now - held.since < held.pauseMs;
    if (held !== undefined && (isJustMade || (!again && now < held.endsAt))) {
      return held.headers;
    }
    if (rejected !== undefined && now < rejected.until) throw rejected.error;
    const { headers } = await inTime(start(), timeoutMs, clock, (isBlocked) => {
      return new CredentialError(isBlocked ? { ...late, kind: 'blocked' } : late);
    });
    return headers;
  };
}

/**
 * The login in use. The times `since`, `endsAt` and `renewAt` are milliseconds of the clock's `now`; Infinity means
 * never.
 */
type HeldLogin = Login & {
  readonly since: number;
  readonly endsAt: number;
  readonly renewAt: number;
  /** For this many milliseconds after `since`, requests begin no new login. */
  readonly pauseMs: number;
};

function heldLogin(login: Login, before: HeldLogin | undefined, clock: Clock, random: number): HeldLogin {
  const since = clock.now();
  const { expiresAt = Infinity } = login;
  const leftMs = expiresAt - clock.date();
  const lifeMs = leftMs > 0 ? leftMs : SHORTEST_LIFE_MS;
  const share = RENEWED_AFTER.least + (RENEWED_AFTER.most - RENEWED_AFTER.least) * random;
  const isSameEnd = expiresAt < Infinity && expiresAt === before?.expiresAt;
  const renewAt = since + (isSameEnd ? RENEWED_AGAIN_AFTER_MS : lifeMs * share);
  const pauseMs =
    lifeMs >= SHORT_LIFE_MS ? PAUSE_MS : Math.min(LONGEST_PAUSE_MS, 2 * (before?.pauseMs ?? PAUSE_MS / 2));
  return { ...login, since, endsAt: since + lifeMs, renewAt: Math.max(renewAt, since + pauseMs), pauseMs };
}
