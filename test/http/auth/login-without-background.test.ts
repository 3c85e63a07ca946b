import { describe, expect, it, vi } from 'vitest';
import { withoutBackground } from '../../../src/base/time/clock.js';
import type { Send } from '../../../src/http/reply.js';
import { clientSettings } from '../../../src/options/settings.js';
import { kubernetesSource } from '../../../src/http/auth/kubernetes-login.js';
import { openCredentials } from '../../../src/http/auth/authorized-transport.js';
import { loginSource, type Login } from '../../../src/http/auth/login-renewal.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { podToken } from './kubernetes.fixture.js';

const LIFE_MS = 3_600_000;
const from = (times: number) => ({ authorization: `Bearer login-${times}` });

/** A source whose logins are numbered, each for an hour. */
function source() {
  const clock = manualClock();
  const logIn = vi.fn((): Promise<Login> => {
    const times = logIn.mock.calls.length;
    return Promise.resolve({ headers: from(times), expiresAt: clock.date() + LIFE_MS });
  });
  const late = { kind: 'timeout', message: 'the login takes long' } as const;
  const settings = { timeoutMs: 500, late, ending: new AbortController().signal, isShared: false };
  return { clock, logIn, source: loginSource(logIn, settings, runtimeOf(withoutBackground(clock))) };
}

describe('a login without a background', () => {
  it('of a pod ends with the call that waits for it; in the background it may take longer', async () => {
    await using pod = await podToken();
    const settings = clientSettings({ url: 'http://127.0.0.1:1', http: { timeoutMs: 500 } }, {});
    const limitOf = async (isShared: boolean) => {
      const send = vi.fn<Send>(() => Promise.resolve({ kind: 'timeout', message: 'silent' }));
      const way = { send, ending: new AbortController().signal, isShared };
      const headers = kubernetesSource({ tokenPath: pod.path }, settings, way, runtimeOf(manualClock()));
      await expect(headers(false)).rejects.toThrow('silent');
      return send.mock.calls[0]?.[0].download?.timeoutMs;
    };
    expect(await limitOf(true)).toBe(10_000);
    expect(await limitOf(false)).toBe(500);
  });

  it('is shared only when it is finished', async () => {
    const { logIn, clock, source: headers } = source();
    expect(await Promise.all([headers(false), headers(false)])).toEqual([from(1), from(2)]);
    expect(await headers(false)).toEqual(from(2));
    expect([logIn.mock.calls.length, clock.timers()]).toEqual([2, 0]);
  });

  it('is used to its end, and then made again by each request that needs one', async () => {
    const { clock, source: headers } = source();
    await headers(false);
    await clock.advance(LIFE_MS - 1);
    expect(await headers(false)).toEqual(from(1));
    await clock.advance(1);
    expect(await headers(false)).toEqual(from(2));
    expect(clock.timers()).toBe(0);
  });

  it('is refreshed by each request that the service has rejected', async () => {
    const { clock, source: headers, logIn } = source();
    const credentials = openCredentials(headers, runtimeOf(clock), false);
    const rejected = await credentials.current();
    await clock.advance(2_000);
    if ('kind' in rejected) throw new Error(rejected.message);
    await Promise.all([credentials.refresh(rejected), credentials.refresh(rejected)]);
    expect(logIn).toHaveBeenCalledTimes(3);
  });
});
