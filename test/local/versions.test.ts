import { describe, expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { eventually } from '../eventually.fixture.js';
import { BASE_FEATURES } from './requests.fixture.js';
import { useServices } from './running.fixture.js';

const start = useServices();
const BUILDS = [
  ['v1', { version: 'v1.61.1', isRelease: true }],
  ['v2.8', { build: { version: 'v2.8.0', isRelease: true } }],
  ['v2', { build: { version: 'v2.11.0', isRelease: true } }],
] as const;

describe('the version of the embedded service', () => {
  it.each(BUILDS)('with the rules of %s is that of the recorded Flipt', async (semantics, info) => {
    const { url } = await start({ features: BASE_FEATURES, semantics });
    expect(await (await fetch(`${url}/meta/info`)).json()).toEqual(info);
  });

  it('wants any token that is valid, if tokens are required', async () => {
    const { url } = await start({ features: BASE_FEATURES, bootstrapToken: 'first-token' });
    expect((await fetch(`${url}/meta/info`)).status).toBe(401);
    const headers = { authorization: 'Bearer first-token' };
    expect((await fetch(`${url}/meta/info`, { headers })).status).toBe(200);
  });

  it.each(BUILDS)('is known to a provider, by the rules of %s', async (semantics) => {
    const { url } = await start({ features: BASE_FEATURES, semantics });
    const provider = new FliptProvider({ url, evaluation: 'in-process' });
    await provider.initialize();
    await eventually(() => provider.getStatus().watch?.semantics === semantics);
    const { fliptVersion } = provider.getStatus();
    expect(fliptVersion).toBe({ v1: 'v1.61.1', 'v2.8': 'v2.8.0', v2: 'v2.11.0' }[semantics]);
    await provider.onClose();
  });
});

it.each([
  ['v2.8', 'application/json'],
  ['v2', 'text/event-stream'],
] as const)('the stream of %s is %s, also to a client that wants events', async (semantics, type) => {
  const { url } = await start({ features: BASE_FEATURES, semantics });
  const ending = new AbortController();
  const path = '/client/v2/environments/default/namespaces/default/stream';
  const headers = { accept: 'text/event-stream' };
  const response = await fetch(url + path, { headers, signal: ending.signal });
  expect(response.headers.get('content-type')).toBe(type);
  ending.abort();
});

it('has the same digest by the rules of 2.8 and of 2.9, as Flipt has, although only one shows names', async () => {
  const snapshots = await Promise.all(
    (['v2.8', 'v2'] as const).map(async (semantics) => {
      const { url } = await start({ features: BASE_FEATURES, semantics });
      const response = await fetch(`${url}/internal/v1/evaluation/snapshot/namespace/default`);
      return { etag: response.headers.get('etag'), text: await response.text() };
    }),
  );
  expect(snapshots[0]?.etag).toBe(snapshots[1]?.etag);
  expect(snapshots[0]?.text.length).toBeGreaterThan(snapshots[1]?.text.length ?? 0);
});
