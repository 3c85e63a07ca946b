import { describe, expect, it, vi } from 'vitest';
import { LARGEST_TIMER_MS } from '../../../src/base/time/clock.js';
import { openCredentials } from '../../../src/http/auth/authorized-transport.js';
import { CredentialError } from '../../../src/http/auth/credential-source.js';
import { loginSource, type Login } from '../../../src/http/auth/login-renewal.js';
import type { Failure } from '../../../src/model/failure.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';

const LATE: Failure = { kind: 'timeout', message: 'the login takes long' };
const LIFE_MS = 3_600_000;
const refusal = new CredentialError({ kind: 'unauthorized', message: 'refused' });

/** A source whose logins are numbered: `Bearer login-1`, … Each lasts an hour, unless `script` does something else. */
function source(script?: (times: number) => Promise<Login>, random = 0.5) {
  const clock = manualClock();
  const closing = new AbortController();
  const logIn = vi.fn((): Promise<Login> => {
    const times = logIn.mock.calls.length;
    return script?.(times) ?? Promise.resolve(login(times, clock.date() + LIFE_MS));
  });
  const settings = { timeoutMs: 500, late: LATE, ending: closing.signal, isShared: true };
  const headers = loginSource(
    logIn,
    settings,
    runtimeOf(clock, undefined, () => random),
  );
  return { clock, logIn, headers, closing };
}

function login(times: number, expiresAt: number | undefined): Login {
  return { headers: { authorization: `Bearer login-${times}` }, expiresAt };
}

const from = (times: number) => ({ authorization: `Bearer login-${times}` });

describe('a login', () => {
  it('is made once for a hundred requests, at the start and at the moment of expiry', async () => {
    const { clock, logIn, headers } = source();
    const ask = () => Promise.all(Array.from({ length: 100 }, () => headers(false)));
    expect(new Set(await ask())).toEqual(new Set([from(1)]));
    expect(logIn).toHaveBeenCalledTimes(1);
    clock.block(LIFE_MS);
    expect(new Set(await ask())).toEqual(new Set([from(2)]));
    expect(logIn).toHaveBeenCalledTimes(2);
  });

  it.each([
    [0, 0.75],
    [0.5, 0.8],
    [1, 0.85],
  ])(
    'is renewed in the background after a random share of its life: random %d, share %d',
    async (random, share) => {
      const { clock, logIn, headers } = source(undefined, random);
      await headers(false);
      await clock.advance(LIFE_MS * share - 1);
      expect(logIn).toHaveBeenCalledTimes(1);
      // No request is needed for this.
      await clock.advance(1);
      expect(logIn).toHaveBeenCalledTimes(2);
      expect(await headers(false)).toEqual(from(2));
    },
  );

  it('is used while the next one is under way', async () => {
    let end: (login: Login) => void = () => undefined;
    const { clock, logIn, headers } = source((times) =>
      times === 1
        ? Promise.resolve(login(1, clock.date() + LIFE_MS))
        : new Promise((resolve) => (end = resolve)),
    );
    await headers(false);
    await clock.advance(LIFE_MS * 0.8);
    expect(logIn).toHaveBeenCalledTimes(2);
    expect(await headers(false)).toEqual(from(1));
    end(login(2, undefined));
    await clock.settle();
    expect(await headers(false)).toEqual(from(2));
  });

  it('is renewed without keeping the process alive, and no longer after close', async () => {
    const { clock, logIn, headers, closing } = source();
    await headers(false);
    expect([clock.timers('awaited'), clock.timers('background')]).toEqual([0, 1]);
    closing.abort();
    expect(clock.timers()).toBe(0);
    // A login that is under way at the close.
    await clock.advance(1_000);
    await headers(true);
    expect(logIn).toHaveBeenCalledTimes(2);
    expect(clock.timers()).toBe(0);
  });

  it('of centuries is renewed after the longest time of a timer', async () => {
    const { clock, logIn, headers } = source((times) => Promise.resolve(login(times, Date.UTC(2999, 0))));
    await headers(false);
    await clock.advance(LARGEST_TIMER_MS - 1);
    expect(logIn).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    expect(logIn).toHaveBeenCalledTimes(2);
  });

  it('that ends when the one before does is renewed at most once a minute', async () => {
    const end = manualClock().date() + LIFE_MS;
    const { clock, logIn, headers } = source((times) => Promise.resolve(login(times, end)));
    await headers(false);
    await clock.advance(LIFE_MS * 0.8);
    for (let second = 0; second < 180; second++) {
      await headers(false);
      await clock.advance(1_000);
    }
    expect(logIn).toHaveBeenCalledTimes(1 + 1 + 3);
  });

  it('whose renewal fails stays in use until it ends, and is renewed at most once a minute', async () => {
    const { clock, logIn, headers } = source((times) =>
      times === 1 ? Promise.resolve(login(1, clock.date() + LIFE_MS)) : Promise.reject(refusal),
    );
    await headers(false);
    await clock.advance(LIFE_MS * 0.8);
    for (let second = 0; second < 120; second++) {
      expect(await headers(false)).toEqual(from(1));
      await clock.advance(1_000);
    }
    expect(logIn).toHaveBeenCalledTimes(1 + 1 + 2);
    await clock.advance(LIFE_MS * 0.2);
    await expect(headers(false)).rejects.toBe(refusal);
  });

  it('that is slow fails its callers in time, and serves those who come after it', async () => {
    let end: (login: Login) => void = () => undefined;
    const { clock, logIn, headers } = source(() => new Promise((resolve) => (end = resolve)));
    const credentials = openCredentials(headers, runtimeOf(manualClock()));
    const first = credentials.current();
    await clock.advance(500);
    expect(await first).toEqual(LATE);
    const second = credentials.current();
    end(login(1, undefined));
    expect(await second).toMatchObject({ headers: from(1) });
    expect(logIn).toHaveBeenCalledTimes(1);
    expect(clock.timers()).toBe(0);
  });

  it('that is rejected is not repeated by each request, and is tried again after a second', async () => {
    const { clock, logIn, headers } = source(() => Promise.reject(refusal));
    await expect(headers(false)).rejects.toBe(refusal);
    await expect(headers(false)).rejects.toBe(refusal);
    expect(logIn).toHaveBeenCalledTimes(1);
    await clock.advance(1_000);
    await expect(headers(false)).rejects.toBe(refusal);
    expect(logIn).toHaveBeenCalledTimes(2);
  });

  it('that an outage ends is tried again by the next request', async () => {
    const outage = new CredentialError({ kind: 'connection', message: 'no connection' });
    const { logIn, headers } = source((times) =>
      times === 1 ? Promise.reject(outage) : Promise.resolve(login(times, undefined)),
    );
    expect(await openCredentials(headers, runtimeOf(manualClock())).current()).toEqual(outage.failure);
    expect(await headers(false)).toEqual(from(2));
    expect(logIn).toHaveBeenCalledTimes(2);
  });

  it('is made again when the service rejects its token, but not when the token is new', async () => {
    const { clock, logIn, headers } = source();
    await headers(false);
    expect(await headers(true)).toEqual(from(1));
    await clock.advance(1_000);
    expect(await headers(true)).toEqual(from(2));
    expect(logIn).toHaveBeenCalledTimes(2);
  });

  it('that has ended by the date of this machine is used for a minute', async () => {
    const { clock, logIn, headers } = source((times) => Promise.resolve(login(times, clock.date() - 1)));
    await headers(false);
    await clock.advance(47_000);
    expect(await headers(false)).toEqual(from(1));
    await clock.advance(13_000);
    expect(await headers(false)).toEqual(from(2));
    expect(logIn).toHaveBeenCalledTimes(2);
  });

  it('without an end is used until it is rejected', async () => {
    const { clock, logIn, headers } = source((times) => Promise.resolve(login(times, undefined)));
    await headers(false);
    await clock.advance(1_000 * LIFE_MS);
    expect(await headers(false)).toEqual(from(1));
    expect(logIn).toHaveBeenCalledTimes(1);
  });
});

describe('a login that ends at once', () => {
  it('is replaced after 1 s, then 2, up to a minute, however many requests come', async () => {
    const { clock, logIn, headers } = source((times) => Promise.resolve(login(times, clock.date() + 5)));
    const counts: number[] = [];
    for (let second = 0; second < 180; second++) {
      for (let n = 0; n < 10; n++) await headers(n % 2 === 0);
      counts.push(logIn.mock.calls.length);
      await clock.advance(1_000);
    }
    expect([counts[0], counts[1], counts[3], counts[7], counts[15]]).toEqual([1, 2, 3, 4, 5]);
    expect(counts.at(-1)).toBeLessThan(12);
  });
});
