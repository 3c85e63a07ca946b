import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FliptProviderOptions } from '../../../src/index.js';
import { ofrep } from '../../../src/adapters/ofrep/index.js';
import { flipt, localService, open, refusedAddress, register } from '../../provider/open.fixture.js';
import { FEATURES, ITEMS, KEYS } from './features.fixture.js';
import { ask, hosted, HOSTS } from './hosts.fixture.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const MODES: readonly FliptProviderOptions[] = [
  { evaluation: 'in-process' },
  { evaluation: 'remote' },
  { evaluation: 'remote', watch: false },
];
const everything = HOSTS.flatMap(([name, host], at) =>
  MODES.slice(0, at === 0 ? MODES.length : 1).map((options) => ({ name, host, options })),
);

describe.each(everything)('$name, with $options', ({ host, options }) => {
  const serving = async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, ...options });
    return { service, provider, url: await hosted(host, { provider, flags: KEYS }) };
  };

  it('gives each flag for each reason, first from the service and then from the cache', async () => {
    const { url } = await serving();
    for (const item of [...ITEMS, ...ITEMS]) {
      expect(await ask(url, item.key)).toMatchObject({ status: 200, body: item });
    }
  });

  it('gives all flags at once, and 304 until one of them changes', async () => {
    const { url, service, provider } = await serving();
    const first = await ask(url);
    expect([first.status, first.body]).toEqual([200, { flags: ITEMS }]);
    const length = Buffer.byteLength(JSON.stringify(first.body));
    expect(first.headers.get('content-length')).toBe(String(length));
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await ask(url, undefined, { headers: { 'if-none-match': known } });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
    }
    const changed = new Promise((resolve) => {
      provider.events.addHandler('PROVIDER_CONFIGURATION_CHANGED' as never, resolve);
    });
    await service.setFlag('default', 'on', { enabled: false });
    provider.invalidate();
    await changed;
    const then = await ask(url, undefined, { headers: { 'if-none-match': etag } });
    expect(then.status).toBe(200);
    expect(then.body).toMatchObject({ flags: [{ key: 'on', value: false }, ...ITEMS.slice(1)] });
  });

  it('answers 404 for a flag that is not named, and the same for one that does not exist', async () => {
    const { url } = await serving();
    const unnamed = await ask(url, 'secret');
    expect(unnamed).toMatchObject({ status: 404, body: { key: 'secret', errorCode: 'FLAG_NOT_FOUND' } });
    const [missing, odd] = [await ask(url, 'missing'), await ask(url, '%')];
    expect(missing.body).toEqual({ ...(unnamed.body as object), key: 'missing' });
    expect(odd.status).toBe(404);
  });
});

describe.each([HOSTS[0]])('%s', (_, host) => {
  it('omits a named flag that does not exist from all flags, and answers 404 for it alone', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url });
    const url = await hosted(host, { provider, flags: ['missing', 'on', 'on'] });
    expect((await ask(url)).body).toEqual({ flags: [ITEMS[0]] });
    expect(await ask(url, 'missing')).toMatchObject({
      status: 404,
      body: { key: 'missing', errorCode: 'FLAG_NOT_FOUND' },
    });
  });

  it('evaluates the flags that a function names, and no others', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, evaluation: 'in-process' });
    const url = await hosted(host, { provider, flags: (key) => key.startsWith('o') });
    expect((await ask(url)).body).toEqual({ flags: [ITEMS[0], ITEMS[1]] });
    expect((await ask(url, 'off')).body).toEqual(ITEMS[1]);
    expect((await ask(url, 'secret')).status).toBe(404);
  });

  it.each<[string, unknown]>([
    ['a promise', Promise.resolve(false)],
    ['undefined', undefined],
  ])('shows no flag if the function gives %s', async (given, isVisible) => {
    vi.spyOn(console, 'error').mockReturnValue();
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, evaluation: 'in-process' });
    const flags = () => isVisible as boolean;
    for (const path of ['flags', 'flags/secret']) {
      const request = new Request(`http://app/ofrep/v1/evaluate/${path}`, { method: 'POST', body: '{}' });
      await expect(ofrep({ provider, flags, context: () => ({}) })(request)).rejects.toThrow(
        `expected true or false, got ${given}`,
      );
    }
    const url = await hosted(host, { provider, flags });
    expect((await fetch(`${url}/ofrep/v1/evaluate/flags`, { method: 'POST', body: '{}' })).status).toBe(500);
  });

  it('says that a function needs a snapshot for all flags; one flag needs none', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, watch: false });
    const url = await hosted(host, { provider, flags: () => true });
    expect(await ask(url)).toMatchObject({
      status: 500,
      body: {
        errorCode: 'GENERAL',
        errorDetails: 'there is no snapshot that lists the flag keys: list them in the option flags of ofrep',
      },
    });
    expect((await ask(url, 'on')).body).toEqual(ITEMS[0]);
  });

  it('keeps the last known values during an outage, and the same tag', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, http: { retries: 0 } });
    const url = await hosted(host, { provider, flags: KEYS });
    const before = await ask(url);
    await service.close();
    const during = await ask(url);
    expect(during.body).toEqual(before.body);
    expect(during.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('answers 500 if nothing is known, so that a browser keeps what it has, and shows no address', async () => {
    const address = await refusedAddress();
    const { provider } = await open({ url: address, initTimeoutMs: 1, http: { retries: 0 } });
    const url = await hosted(host, { provider, flags: KEYS });
    const nothing = { errorCode: 'GENERAL', errorDetails: 'there is no answer' };
    expect(await ask(url)).toMatchObject({ status: 500, body: nothing });
    expect(await ask(url, 'on')).toMatchObject({ status: 500, body: { key: 'on', ...nothing } });
    await provider.onClose();
    expect(await ask(url)).toMatchObject({ status: 500, body: nothing });
    expect(await ask(url, 'on')).toMatchObject({ status: 500, body: { key: 'on', ...nothing } });
  });

  it('asks the provider of the domain, and says so if none can answer', async () => {
    const service = await localService({ features: FEATURES });
    const { registered, domain } = register(flipt({ url: service.url }));
    await registered;
    const url = await hosted(host, { flags: KEYS, domain });
    expect((await ask(url, 'on')).body).toEqual(ITEMS[0]);
    const elsewhere = await hosted(host, { flags: KEYS });
    const details =
      'no FliptProvider is registered here: register one first, or pass it in the option provider of ofrep';
    expect(await ask(elsewhere)).toMatchObject({ status: 500, body: { errorDetails: details } });
    expect(await ask(elsewhere, 'on')).toMatchObject({ status: 500, body: { errorDetails: details } });
  });
});
