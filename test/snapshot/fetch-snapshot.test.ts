import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { openTransport } from '../../src/http/exchange.js';
import { silentRuntime } from '../../src/model/runtime.js';
import { clientSettings } from '../../src/options/settings.js';
import { snapshotFetcher, type Known } from '../../src/snapshot/fetch-snapshot.js';
import { systemClock } from '../../src/base/time/clock.js';
import { manualClock } from '../clock.fixture.js';
import { PATIENT } from '../eventually.fixture.js';
import { scriptedServer, type Script } from '../servers/scripted.fixture.js';
import { recordedBody } from './bodies.fixture.js';
import { bodyJson, fetching, refusedConnection, reply } from './fetched.fixture.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('the request', () => {
  it('asks for the namespace of the environment, as a client of v1.61.1, for gzip, within limits of its own', async () => {
    const snapshots: Script = (_, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        etag: 'abc123',
      });
      response.end(gzipSync(recordedBody('alpha.v2.team.json')));
    };
    const server = await scriptedServer(() => undefined, undefined, snapshots);
    closing.push(server.close);
    const { http } = PATIENT;
    const transport = openTransport(clientSettings({ url: `${server.url}/base`, http }, {}), silentRuntime());
    closing.push(transport.close);
    const settings = { url: server.url, namespace: 'team', environment: 'staging' };
    const fetch = snapshotFetcher(transport.send, settings, systemClock, new AbortController().signal);

    const fetched = await fetch(undefined);

    expect(fetched).toMatchObject({ kind: 'snapshot', etag: 'abc123', snapshot: { semantics: 'v2' } });
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'GET',
      path: '/base/internal/v1/evaluation/snapshot/namespace/team',
      headers: {
        'x-flipt-accept-server-version': '1.61.1',
        'x-flipt-environment': 'staging',
        'accept-encoding': 'gzip',
      },
    });
    expect(request?.headers).not.toHaveProperty('if-none-match');
  });

  it('does not take a 304 for another saved snapshot than the one whose ETag it has named', async () => {
    const clock = manualClock();
    const { fetch: fetchOther } = fetching(
      () => Promise.resolve(reply(200, bodyJson({ a: true }), { etag: 'two' })),
      clock,
    );
    const replaced = (await fetchOther(undefined)) as Known;
    const expected = { etag: 'one', whole: () => Promise.resolve(replaced) };
    const { fetch, requests } = fetching(
      ({ headers = {} }) =>
        Promise.resolve('if-none-match' in headers ? reply(304) : reply(200, bodyJson({ a: false }))),
      clock,
      expected,
    );

    expect(await fetch(undefined)).toMatchObject({ kind: 'snapshot' });
    expect(requests.map(({ headers }) => headers?.['if-none-match'])).toEqual(['one', undefined]);
  });

  it('has 60 s and 64 MB, and may be silent for 30 s of these', async () => {
    const { fetch, requests } = fetching(() => Promise.resolve(refusedConnection), manualClock());
    await fetch(undefined);

    expect(requests[0]?.download).toEqual({
      timeoutMs: 60_000,
      silentMs: 30_000,
      maxBytes: 64 * 1024 * 1024,
    });
  });

  it.each(['5d41402abc4b2a76b9719d911017c592', '"quoted"', 'W/"weak"', '  odd é '])(
    'repeats the ETag %s byte for byte, and takes 304 for unchanged',
    async (etag) => {
      const { fetch, requests } = fetching(
        ({ headers = {} }) =>
          Promise.resolve(
            'if-none-match' in headers ? reply(304) : reply(200, bodyJson({ a: true }), { etag }),
          ),
        manualClock(),
      );
      const known = (await fetch(undefined)) as Known & { readonly kind: 'snapshot' };

      expect(await fetch(known)).toMatchObject({ kind: 'unchanged' });
      expect(requests[1]?.headers).toHaveProperty('if-none-match', etag);
    },
  );
});

it.each(['a\r\nb', '\u65e5', 'x'.repeat(2_000)])(
  'drops the ETag %j, which no request could repeat, and goes on without it',
  async (etag) => {
    const { fetch, requests } = fetching(
      () => Promise.resolve(reply(200, bodyJson({ a: true }), { etag })),
      manualClock(),
    );
    const known = (await fetch(undefined)) as Known & { readonly kind: 'snapshot' };
    expect(await fetch(known)).toMatchObject({ kind: 'unchanged', etag: undefined });
    expect(requests[1]?.headers).not.toHaveProperty('if-none-match');
  },
);

it('takes a tag that repeats a credential for none, in a header and in the body', async () => {
  const redact = (text: string) => text.replaceAll('dummy-secret', '[credential]');
  const body = bodyJson({ a: true }, { digest: 'digest of dummy-secret' });
  const answer = () => Promise.resolve({ ...reply(200, body, { etag: '"dummy-secret"' }), redact });
  const { fetch, requests } = fetching(answer, manualClock());
  const fetched = (await fetch(undefined)) as Known & { readonly kind: 'snapshot' };
  expect(fetched).toMatchObject({ kind: 'snapshot', etag: undefined });
  expect(fetched.snapshot.version).not.toContain('dummy-secret');
  expect(await fetch(fetched)).toMatchObject({ kind: 'unchanged', etag: undefined });
  expect(requests[1]?.headers).not.toHaveProperty('if-none-match');
});

it('redacts what it says about the content of a snapshot, and never the snapshot', async () => {
  const body = (...keys: string[]) => ({
    namespace: { key: 'default' },
    flags: keys.map((key) => ({ key, type: 'BOOLEAN_FLAG_TYPE', enabled: true })),
  });
  const answers = [{ ...body('a'), namespace: { key: 'dummy-secret' } }, body('dummy-secret')];
  const redact = (text: string) => text.replaceAll('dummy-secret', '[credential]');
  const answer = () => Promise.resolve({ ...reply(200, answers.shift() ?? {}), redact });
  const { fetch } = fetching(answer, manualClock());
  expect(await fetch(undefined)).toMatchObject({
    kind: 'failed',
    failure: { message: expect.stringMatching(/got "\[credential\]"/) as string },
  });
  const fetched = (await fetch(undefined)) as Known & { readonly kind: 'snapshot' };
  expect([...fetched.snapshot.flags.keys().keys()]).toEqual(['dummy-secret']);
});

describe('a snapshot', () => {
  const fetched = async (body: object, headers = {}) => {
    const { fetch } = fetching(() => Promise.resolve(reply(200, body, headers)), manualClock());
    return fetch(undefined);
  };

  it.each([
    ['the digest in the body', bodyJson({ a: true }, { digest: 'd1' }), { etag: 'e1' }, 'd1'],
    ['else the ETag', bodyJson({ a: true }), { etag: 'e1' }, 'e1'],
    [
      'else a digest of its contents',
      bodyJson({ a: true }),
      {},
      expect.stringMatching(/^[\w-]{27}$/) as string,
    ],
  ])('has as its version %s', async (_what, body, headers, version) => {
    expect(await fetched(body, headers)).toMatchObject({ snapshot: { version } });
  });
});
