import { request, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { FeaturesDocument } from '../../../src/local/index.js';
import { ask } from '../requests.fixture.js';
import { useServices } from '../running.fixture.js';
import { snapshot, VERSION } from './snapshots.fixture.js';

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

  it.each(['v1', 'v2'] as const)('is the same for all clients of %s', async (semantics) => {
    const { url } = await start({ features, semantics });
    expect((await snapshot(url, 'default', {})).etag).toBe((await snapshot(url)).etag);
  });
});

describe('the version that a client accepts', () => {
  const shown = async (headers: Readonly<Record<string, string>>, semantics: 'v1' | 'v2' = 'v1') => {
    const { url } = await start({ features, semantics });
    const text = JSON.stringify((await snapshot(url, 'default', headers)).body);
    return {
      defaultVariant: text.includes('defaultVariant'),
      entityIds: text.includes('ENTITY_ID_CONSTRAINT_COMPARISON_TYPE'),
      unknown: text.includes('UNKNOWN_CONSTRAINT_COMPARISON_TYPE'),
    };
  };
  const all = { defaultVariant: true, entityIds: true, unknown: false };
  const none = { defaultVariant: false, entityIds: false, unknown: true };

  it.each([
    ['1.61.1', all],
    ['v1.61.1', all],
    ['2.11.0', all],
    ['1.47.0', all],
    ['1.46.9', { ...all, defaultVariant: false }],
    ['1.38.0', { ...all, defaultVariant: false }],
    ['1.37.0', none],
    ['0.99.0', none],
    ['new', none],
    ['', none],
  ])('%j decides what v1 leaves out', async (version, expected) => {
    expect(await shown({ 'X-Flipt-Accept-Server-Version': version })).toEqual(expected);
  });

  it('counts as old on v1 if it is missing, and has no effect on v2', async () => {
    expect(await shown({})).toEqual(none);
    expect(await shown({}, 'v2')).toEqual(all);
  });
});

describe('a namespace that does not exist', () => {
  it('is empty and has no tag on v1', async () => {
    const { url } = await start({ features });
    const body = { namespace: { key: 'gone' }, flags: [] };
    expect(await snapshot(url, 'gone')).toEqual({ status: 200, etag: null, body });
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

describe('a body', () => {
  const received = (url: string, encoding: string | undefined, more: Readonly<Record<string, string>> = {}) =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }>(
      (resolve, reject) => {
        const headers = {
          ...VERSION,
          ...more,
          ...(encoding !== undefined && { 'Accept-Encoding': encoding }),
        };
        const path = `${url}/internal/v1/evaluation/snapshot/namespace/default`;
        request(path, { headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            resolve({
              status: response.statusCode,
              headers: response.headers,
              bytes: Buffer.concat(chunks),
            });
          });
        })
          .on('error', reject)
          .end();
      },
    );

  it('is compressed for a client that accepts gzip, and for no other', async () => {
    const { url } = await start({ features });
    const plain = await received(url, undefined);
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const encoding of ['gzip', 'br, gzip;q=0.5', 'GZIP']) {
      const { headers, bytes } = await received(url, encoding);
      expect(headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(bytes)).toEqual(plain.bytes);
    }
    for (const encoding of ['identity', 'gzip;q=0', 'br']) {
      const { headers, bytes } = await received(url, encoding);
      expect(headers['content-encoding']).toBeUndefined();
      expect(bytes).toEqual(plain.bytes);
    }
  });

  it.each(['v1', 'v2'] as const)(
    'is left out of a 304, which still names gzip if the client accepts it, as %s does',
    async (semantics) => {
      const { url } = await start({ features, semantics });
      const tag = { 'If-None-Match': String((await snapshot(url)).etag) };
      const encodingOf = async (encoding: string | undefined) => {
        const { status, headers, bytes } = await received(url, encoding, tag);
        return [status, bytes.length, headers['content-encoding']];
      };
      expect(await encodingOf('gzip')).toEqual([304, 0, 'gzip']);
      expect(await encodingOf('identity')).toEqual([304, 0, undefined]);
      expect(await encodingOf(undefined)).toEqual([304, 0, undefined]);
    },
  );
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
