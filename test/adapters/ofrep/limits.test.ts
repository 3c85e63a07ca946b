import { describe, expect, it, vi } from 'vitest';
import { localService, open } from '../../provider/open.fixture.js';
import { FEATURES, KEYS } from './features.fixture.js';
import { ask, hosted, HOSTS } from './hosts.fixture.js';

const flipt = async () => {
  const service = await localService({ features: FEATURES });
  return (await open({ url: service.url })).provider;
};

/** 30 users, whose answers a cache for 40 holds, and what they then get. */
async function cached() {
  const service = await localService({ features: FEATURES });
  const { provider, client } = await open({ url: service.url, watch: false, cache: { maxEntries: 40 } });
  const users = Array.from({ length: 30 }, (_, at) => ({ targetingKey: `user-${at}` }));
  const reasons = async () =>
    new Set(
      await Promise.all(
        users.map(async (user) => (await client.getBooleanDetails('on', false, user)).reason),
      ),
    );
  await reasons();
  return { provider, reasons };
}

it('contexts that browsers extend do not drive the answers of others out of the cache', async () => {
  const { provider, reasons } = await cached();
  const url = await hosted(HOSTS[0][1], { provider, flags: KEYS, allow: ['plan'] });
  for (let plan = 0; plan < 40; plan++) await ask(url, 'on', { context: { plan } });
  expect(await reasons()).toEqual(new Set(['CACHED']));
  expect(provider.getStatus().cache.entries).toBe(34);
});

it('flag keys that browsers make up do not drive the answers of others out of the cache', async () => {
  const { provider, reasons } = await cached();
  const url = await hosted(HOSTS[0][1], { provider, flags: () => true });
  for (let at = 0; at < 40; at++) expect((await ask(url, `unknown-${at}`)).status).toBe(404);
  expect(await reasons()).toEqual(new Set(['CACHED']));
});

describe.each([HOSTS[0], HOSTS[3]])('%s', (_, host) => {
  it('refuses a long attribute that the browser names, and says which', async () => {
    const provider = await flipt();
    const evaluated = vi.spyOn(provider, 'evaluateEach');
    const url = await hosted(host, { provider, flags: KEYS, allow: ['plan', 'window'] });
    const refusal = (name: string, length: number) => ({
      status: 400,
      body: {
        errorCode: 'INVALID_CONTEXT',
        errorDetails: `attribute "${name}": expected at most 1000 characters, got ${length}`,
      },
    });
    const asking = (context: object) => ask(url, undefined, { context });
    expect(await asking({ plan: ' '.repeat(60_000) })).toMatchObject(refusal('plan', 60_000));
    expect(await asking({ window: { size: 'x'.repeat(1_000) } })).toMatchObject(refusal('window', 1_011));
    expect(evaluated).not.toHaveBeenCalled();
    expect(await asking({ plan: 'x'.repeat(1_000), other: 'x'.repeat(2_000) })).toMatchObject({
      status: 200,
    });
  });

  it('refuses more than 100 attributes that the browser names', async () => {
    const allow = Array.from({ length: 101 }, (_, at) => `a${at}`);
    const context = (count: number) => Object.fromEntries(allow.slice(0, count).map((key) => [key, 1]));
    const provider = await flipt();
    const url = await hosted(host, { provider, flags: KEYS, allow });
    expect((await ask(url, undefined, { context: context(100) })).status).toBe(200);
    expect(await ask(url, undefined, { context: context(101) })).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_CONTEXT', errorDetails: 'the context has more than 100 attributes' },
    });
  });
});
