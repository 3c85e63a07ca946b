import { describe, expect, it, onTestFinished } from 'vitest';
import { kubernetesLogin } from '../../../src/http/kubernetes.js';
import type { Outcome, ServiceRequest } from '../../../src/http/reply.js';
import { manualClock } from '../../clock.fixture.js';
import { failedWith, replied } from '../outcomes.fixture.js';
import { loggedIn, podToken } from './kubernetes.fixture.js';

const LIFE_MS = 3_600_000;
const from = (times: number) => ({ authorization: `Bearer login-${times}` });
const pending = new Promise<never>(() => undefined);

/** A source whose logins are numbered: `Bearer login-1`, … Each lasts an hour, unless `script` does something else. */
async function source(script?: (times: number, usual: Outcome) => Outcome | Promise<Outcome>) {
  const pod = await podToken();
  onTestFinished(() => pod[Symbol.asyncDispose]());
  const clock = manualClock();
  const sent: ServiceRequest[] = [];
  const send = async (request: ServiceRequest) => {
    sent.push(request);
    const usual = login(sent.length, new Date(clock.date() + LIFE_MS));
    return script?.(sent.length, usual) ?? usual;
  };
  const settings = {
    url: 'http://flipt.test',
    http: { timeoutMs: 500, retries: 0, proxy: undefined, whyNoProxy: undefined },
  };
  const { signal } = new AbortController();
  const headers = kubernetesLogin({ tokenPath: pod.path }, settings, send, signal, clock);
  /** The token is read from a file, which takes turns of the event loop. */
  const until = async (logins: number) => {
    while (sent.length < logins) await new Promise(setImmediate);
    await new Promise(setImmediate);
  };
  return { clock, pod, headers, until, logins: () => sent.length, sent };
}

function login(times: number, expiresAt: Date): Outcome {
  const body = loggedIn(`login-${times}`, expiresAt.toISOString());
  return { ...replied(200), bytes: Buffer.from(JSON.stringify(body)) };
}

describe('a login', () => {
  it('is made once for a hundred requests, at the start and when it has ended', async () => {
    const { clock, headers, logins } = await source();
    const ask = () => Promise.all(Array.from({ length: 100 }, () => headers(false)));
    expect(new Set(await ask())).toEqual(new Set([from(1)]));
    await clock.advance(LIFE_MS);
    expect(new Set(await ask())).toEqual(new Set([from(2)]));
    expect(logins()).toBe(2);
  });

  it('reads the token again, because the cluster replaces it', async () => {
    const { clock, pod, headers, sent } = await source();
    await headers(false);
    await pod.replace('dummy-pod-two\n');
    await clock.advance(LIFE_MS);
    await headers(false);
    expect(sent[1]?.body).toBe('{"serviceAccountToken":"dummy-pod-two"}');
  });

  it('is renewed after 80 % of its life, and used until the new one has come', async () => {
    const { clock, headers, until, logins } = await source();
    await headers(false);
    await clock.advance(LIFE_MS * 0.8 - 1);
    expect(await headers(false)).toEqual(from(1));
    expect(logins()).toBe(1);
    await clock.advance(1);
    expect(await headers(false)).toEqual(from(1));
    await until(2);
    expect(await headers(false)).toEqual(from(2));
  });

  it('whose renewal hangs or fails stays in use until it ends', async () => {
    const { clock, headers, until } = await source((times, usual) =>
      times === 1 ? usual : times === 2 ? failedWith('timeout') : pending,
    );
    await headers(false);
    await clock.advance(LIFE_MS * 0.8);
    for (const logins of [2, 3]) {
      expect(await headers(false)).toEqual(from(1));
      await until(logins);
      await clock.advance(1_000);
    }
    expect(await headers(false)).toEqual(from(1));
    await clock.advance(LIFE_MS * 0.2);
    const late = headers(false);
    await clock.advance(3_500);
    await expect(late).rejects.toThrow('the Kubernetes login takes too long');
  });

  it.each(['unauthorized', 'connection'] as const)(
    'that fails (%s) is tried again after a second, however many ask',
    async (kind) => {
      const { clock, headers, logins } = await source((times, usual) =>
        times < 3 ? failedWith(kind) : usual,
      );
      for (let second = 1; second <= 2; second++) {
        for (let n = 0; n < 10; n++) await expect(headers(n % 2 === 0)).rejects.toThrow('login failed');
        expect(logins()).toBe(second);
        await clock.advance(1_000);
      }
      expect(await headers(false)).toEqual(from(3));
    },
  );

  it('is made again when Flipt rejects its token, but not within a second', async () => {
    const { clock, headers, logins } = await source();
    await headers(false);
    expect(await headers(true)).toEqual(from(1));
    await clock.advance(1_000);
    expect(await headers(true)).toEqual(from(2));
    expect(logins()).toBe(2);
  });

  it('that has ended by the date of this machine is used for a minute', async () => {
    const { clock, headers } = await source((times) => login(times, new Date(clockDate - 1)));
    const clockDate = clock.date();
    await headers(false);
    await clock.advance(47_000);
    expect(await headers(false)).toEqual(from(1));
    await clock.advance(13_000);
    expect(await headers(false)).toEqual(from(2));
  });

  it('that ends at once is made once a second', async () => {
    const { clock, headers, logins } = await source((times) => login(times, new Date(clock.date() + 5)));
    for (let second = 1; second <= 5; second++) {
      for (let n = 0; n < 10; n++) await headers(n % 2 === 0);
      expect(logins()).toBe(second);
      await clock.advance(1_000);
    }
  });

  it('leaves no timer behind', async () => {
    const { clock, headers } = await source();
    await headers(false);
    expect(clock.timers()).toBe(0);
  });
});
