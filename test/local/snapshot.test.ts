import { describe, expect, it } from 'vitest';
import type { FeaturesDocument } from '../../src/local/index.js';
import { useFolder } from './folder.fixture.js';
import { ask } from './requests.fixture.js';
import { useServices } from './running.fixture.js';
import { snapshot, VERSION } from './snapshots.fixture.js';

const at = useFolder();
const start = useServices();

const features: FeaturesDocument = {
  flags: [
    {
      key: 'banner',
      enabled: true,
      variants: [{ key: 'red', default: true }],
      rules: [{ segment: 'me', distributions: [{ variant: 'red', rollout: 100 }] }],
    },
  ],
  segments: [
    {
      key: 'me',
      constraints: [
        { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entityId', operator: 'eq', value: 'me' },
        { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'pro' },
      ],
    },
  ],
};
const team: FeaturesDocument = { ...features, namespace: 'team' };

describe('a tag', () => {
  it('is a bare SHA-1, and answered with 304 when it comes back byte for byte', async () => {
    const { url } = await start({ features });
    const { etag } = await snapshot(url);
    expect(etag).toMatch(/^[0-9a-f]{40}$/);
    const again = (tag: string) => snapshot(url, 'default', { ...VERSION, 'If-None-Match': tag });
    expect(await again(String(etag))).toEqual({ status: 304, etag, body: undefined });
    for (const tag of [`"${String(etag)}"`, `W/"${String(etag)}"`, `${String(etag)}x`]) {
      expect(await again(tag)).toMatchObject({ status: 200, etag });
    }
  });

  it('is the digest in the body of v2', async () => {
    const { url } = await start({ features, semantics: 'v2' });
    const { etag, body } = await snapshot(url);
    expect(body?.digest).toBe(etag);
    expect(etag).toMatch(/^[0-9a-f]{40}$/);
  });

  it.each(['v1', 'v2'] as const)('of %s depends only on what evaluation reads', async (semantics) => {
    const named = (name: string, value = 'pro'): FeaturesDocument => ({
      flags: [{ key: 'banner', name, rules: [{ segment: 's' }] }],
      segments: [
        {
          key: 's',
          constraints: [{ type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value }],
        },
      ],
    });
    const service = await start({ features: named('One'), semantics });
    const tag = async () => (await snapshot(service.url)).etag;
    const before = await tag();
    await service.load(named('Two'));
    expect(await tag()).toBe(before);
    await service.setFlag('default', 'banner', { enabled: true });
    expect(await tag()).not.toBe(before);
    await service.setFlag('default', 'banner', { enabled: false });
    expect(await tag()).toBe(before);
    await service.load(named('One', 'free'));
    expect(await tag()).not.toBe(before);
  });

  it('changes with what is created through the interface, and survives a restart', async () => {
    const data = at('data.json');
    const first = await start({ features, data });
    const before = await snapshot(first.url);
    await ask(first.url, 'POST /api/v1/namespaces/default/flags/banner/rules', {
      body: { segmentKey: 'me', rank: 7 },
    });
    const after = await snapshot(first.url);
    expect(after.etag).not.toBe(before.etag);
    await first.close();
    expect(await snapshot((await start({ data })).url)).toEqual(after);
  });
});

describe('a namespace that does not exist', () => {
  it('is empty on v1', async () => {
    const { url } = await start({ features });
    const body = { namespace: { key: 'gone' }, flags: [] };
    expect(await snapshot(url, 'gone')).toMatchObject({ status: 200, body });
  });

  it('is a 404 on v2', async () => {
    const { url } = await start({ features, semantics: 'v2' });
    expect(await snapshot(url, 'gone')).toMatchObject({ status: 404, etag: null, body: { code: 5 } });
  });
});

describe('an environment', () => {
  const inEnvironment = (name: string) => ({ ...VERSION, 'X-Flipt-Environment': name });

  it('that does not exist is a 404 on v2, and ignored on v1', async () => {
    const { url } = await start({ features, semantics: 'v2' });
    expect(await snapshot(url, 'default', inEnvironment('default'))).toMatchObject({ status: 200 });
    expect(await snapshot(url, 'default', inEnvironment('production'))).toMatchObject({ status: 404 });
    const v1 = await start({ features });
    expect(await snapshot(v1.url, 'default', inEnvironment('production'))).toMatchObject({ status: 200 });
  });

  it("is ignored in the path of v2's own clients", async () => {
    const { url } = await start({ features, semantics: 'v2' });
    const { etag, body } = await snapshot(url);
    const answer = await ask(url, 'GET /client/v2/environments/production/namespaces/default/snapshot');
    expect(answer).toMatchObject({ status: 200, body });
    expect(answer.headers.get('etag')).toBe(etag);
  });
});

describe('a token', () => {
  it('is required, and one of a namespace reads that namespace', async () => {
    const bootstrapToken = 'dummy-bootstrap';
    const { url } = await start({ features: [features, team], bootstrapToken });
    const created = await ask(url, 'POST /auth/v1/method/token', {
      token: bootstrapToken,
      body: { name: 'team', namespaceKey: 'team' },
    });
    const as = (token: unknown) => ({ ...VERSION, Authorization: `Bearer ${String(token)}` });
    expect(await snapshot(url)).toMatchObject({ status: 401, etag: null });
    expect(await snapshot(url, 'default', as(bootstrapToken))).toMatchObject({ status: 200 });
    expect(await snapshot(url, 'team', as(created.body.clientToken))).toMatchObject({ status: 200 });
    expect(await snapshot(url, 'default', as(created.body.clientToken))).toMatchObject({ status: 401 });
  });
});
