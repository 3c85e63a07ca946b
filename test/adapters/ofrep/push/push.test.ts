import { OpenFeature } from '@openfeature/server-sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../../../src/index.js';
import { eventually } from '../../../eventually.fixture.js';
import { hurryBackground } from '../../../in-process/hurry.fixture.js';
import { flipt, localService, open, register } from '../../../provider/open.fixture.js';
import { FEATURES, ITEMS, KEYS } from '../features.fixture.js';
import { ask, hosted, HOSTS, type Host, type HostOptions } from '../hosts.fixture.js';
import { follow, OWN_PAGE } from './events.fixture.js';

const STREAM = '/ofrep/v1/evaluate/flags';
const POLL_MS = 100;
beforeEach(() => {
  hurryBackground(POLL_MS);
});

async function pushing(
  host: Host,
  { options, ...hosting }: Partial<HostOptions> & { readonly options?: FliptProviderOptions } = {},
) {
  const service = await localService({ features: FEATURES });
  const { provider } = await open({
    url: service.url,
    watch: { pollMs: POLL_MS },
    evaluation: 'in-process',
    ...options,
  });
  const url = await hosted(host, { provider, flags: KEYS, push: true, ...hosting });
  const origin = { origin: url, ...OWN_PAGE };
  return { service, provider, url, stream: url + STREAM, origin };
}

const streamsOf = (body: unknown) => (body as { eventStreams?: readonly unknown[] }).eventStreams;

describe.each([HOSTS[0], HOSTS[2]])('push, over %s', (_, host) => {
  it('is off by default: no stream is named, and there is none', async () => {
    const { url, stream, origin } = await pushing(host, { push: false });
    expect((await ask(url, undefined, { headers: origin })).body).toEqual({ flags: ITEMS });
    expect(await follow(stream)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });

  it('names a stream in the answer about all flags, and in no other', async () => {
    const { url, origin } = await pushing(host);
    const { body, headers } = await ask(url, undefined, { headers: origin });
    expect(body).toEqual({
      flags: ITEMS,
      eventStreams: [{ type: 'sse', endpoint: { origin: url, requestUri: STREAM }, inactivityDelaySec: 120 }],
    });
    expect((await ask(url, 'on', { headers: origin })).body).toEqual(ITEMS[0]);
    expect((await ask(url)).body).toEqual({ flags: ITEMS });
    const etag = headers.get('etag') ?? '';
    expect((await ask(url, undefined, { headers: { ...origin, 'if-none-match': etag } })).status).toBe(304);
  });

  it('names none to a page of another origin, which could not open it', async () => {
    const { url } = await pushing(host);
    const asked = [
      { origin: 'http://elsewhere.test', 'sec-fetch-site': 'same-site' },
      { origin: 'http://elsewhere.test', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { origin: 'file://' },
    ];
    for (const headers of asked)
      expect(streamsOf((await ask(url, undefined, { headers })).body)).toBeUndefined();
  });

  it.each<[string, FliptProviderOptions]>([
    ['without a snapshot', { evaluation: 'remote', watch: false }],
    ['offline', { watch: false, snapshot: { initial: FEATURES } }],
  ])('names none to a page that would learn of no change: %s', async (_case, options) => {
    const { url, origin } = await pushing(host, { options });
    expect((await ask(url, undefined, { headers: origin })).body).toEqual({ flags: ITEMS });
  });

  it('names a path of this origin, whatever path it was asked at', async () => {
    const { url, origin } = await pushing(host);
    const response = await fetch(`${url}//elsewhere.test/..//a/../\\${STREAM}`, {
      method: 'POST',
      headers: origin,
      body: '{}',
    });
    if (response.status === 404) return;
    const [named] = streamsOf(await response.json()) as readonly { endpoint: { requestUri: string } }[];
    expect(new URL(named?.endpoint.requestUri ?? '', url).origin).toBe(url);
  });

  it('names the path that the proxy knows', async () => {
    const { url, origin } = await pushing(host, { push: { requestUri: '/shop/ofrep/v1/evaluate/flags' } });
    expect(streamsOf((await ask(url, undefined, { headers: origin })).body)).toMatchObject([
      { endpoint: { requestUri: '/shop/ofrep/v1/evaluate/flags' } },
    ]);
  });

  it('has the form of an event stream, which nothing on the way stores, compresses or buffers', async () => {
    const { stream } = await pushing(host);
    const events = await follow(stream, { 'accept-encoding': 'gzip' });
    await events.count(1);
    expect(events).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      },
    });
    expect(events.headers).not.toHaveProperty('content-encoding');
    expect(events.text()).toMatch(/^retry: \d+\n\nid: \S+\ndata: \{"type":"refetchEvaluation"\}\n\n$/);
  });

  it('sends an event after invalidate, of all flags or of visible ones', async () => {
    const { provider, stream } = await pushing(host, { options: { watch: false, evaluation: 'remote' } });
    const events = await follow(stream);
    await events.count(1);
    provider.invalidate(['secret']);
    provider.invalidate(['on']);
    await events.count(2);
    provider.invalidate();
    await events.count(3);
    expect(events.ids()).toHaveLength(3);
  });

  it('refuses pages of other origins before it asks who the user is', async () => {
    let asked = 0;
    const { stream, url } = await pushing(host, {
      contextOf: (user) => {
        asked += 1;
        return { targetingKey: user };
      },
    });
    const { host: own, port } = new URL(url);
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'http://elsewhere.test' },
      { origin: 'null' },
      { origin: '' },
      { origin: `http://${own}.elsewhere.test` },
      { origin: `http://localhost:1${port}` },
      { origin: `http://${own}@elsewhere.test` },
      { origin: 'http://elsewhere.test', 'sec-fetch-site': 'same-origin' },
      {},
    ];
    for (const headers of foreign) expect((await follow(stream, headers, {})).status).toBe(403);
    expect(asked).toBe(0);
    for (const headers of [
      { origin: url },
      { 'sec-fetch-site': 'same-origin' },
      { referer: `${url}/shop` },
    ]) {
      expect((await follow(stream, headers, {})).status).toBe(200);
    }
    expect(asked).toBe(3);
  });

  it('refuses whom the app refuses', async () => {
    const contextOf = () => {
      throw new Error('log in first');
    };
    const { stream } = await pushing(host, { contextOf });
    expect((await follow(stream)).status).toBe(500);
  });

  it('opens a stream at its path alone', async () => {
    const { url } = await pushing(host);
    const elsewhere = ['/on', '/%2e%2e', '/..%2f', '//', '/on/', '/a/b', '%2f', ';on'];
    for (const path of elsewhere) {
      const { status, headers } = await follow(url + STREAM + path);
      expect([path, status]).toEqual([path, status === 404 ? 404 : 405]);
      expect(headers['content-type']).not.toContain('event-stream');
    }
    const response = await fetch(url + STREAM, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, GET']);
    expect((await fetch(url + STREAM, { method: 'HEAD' })).status).toBe(405);
  });

  it('tells a browser without room to ask, and to come back in 20 s', async () => {
    const { stream, service } = await pushing(host, { push: { maxStreams: 2 } });
    const other = await follow(stream, { 'x-user': 'grace' });
    const first = await follow(stream);
    const second = await follow(stream);
    await eventually(second.hasEnded);
    expect(second.status).toBe(200);
    expect(second.text()).toMatch(/^retry: 20000\n\nid: \S+\ndata: \{"type":"refetchEvaluation"\}\n\n$/);
    service.set('on', false);
    await Promise.all([first.count(2), other.count(2)]);
    first.leave();
    await eventually(async () => !(await follow(stream)).text().includes('retry: 20000'));
  });

  it('ends its streams with the provider, and then has no room', async () => {
    const { stream, provider } = await pushing(host);
    const events = await follow(stream);
    await provider.onClose();
    await eventually(events.hasEnded);
    const later = await follow(stream);
    await eventually(later.hasEnded);
    expect(later.text()).toContain('retry: 20000\n');
    await provider.initialize();
    const again = await follow(stream);
    await again.count(1);
    expect(again.hasEnded()).toBe(false);
  });

  it('follows the provider that is registered now', async () => {
    const service = await localService({ features: FEATURES });
    const options = { url: service.url, watch: { pollMs: POLL_MS } };
    const { domain, registered } = register(flipt(options));
    await registered;
    const url = await hosted(host, { domain, flags: KEYS, push: true });
    const events = await follow(url + STREAM);
    await OpenFeature.setProviderAndWait(domain, flipt(options));
    await eventually(events.hasEnded);
    const again = await follow(url + STREAM);
    await again.count(1);
    service.set('on', false);
    await again.count(2);
  });
});

it.each(HOSTS)(
  'over %s, sends an event for a flag that the browser may see, and for no other',
  async (_, host) => {
    const { service, stream, url } = await pushing(host);
    const events = await follow(stream);
    await events.count(1);
    service.set('secret', false);
    service.set('on', false);
    await events.count(2);
    // The repetition, for instances that have not polled yet.
    await events.count(3);
    expect(events.text()).not.toContain('secret');
    expect(await ask(url, 'on')).toMatchObject({ body: { value: false } });
    service.set('secret', true);
    service.set('off', true);
    await events.count(5);
    expect(events.ids()).toHaveLength(5);
  },
);
