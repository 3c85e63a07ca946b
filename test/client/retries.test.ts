import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FliptClient } from '../../src/client/index.js';
import { answerJson, type Script } from '../servers/scripted.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { atEnd, EMPTY_BATCH, SEGMENT, serving } from './serving.fixture.js';

useTurningClock();

/** Fails the first `times` requests in one way, and answers the rest. */
function failing(times: number, fail: (response: ServerResponse) => void, answer: unknown): Script {
  let count = 0;
  return (_, response) => {
    if (++count <= times) fail(response);
    else answerJson(response, answer);
  };
}

const PASSING_FAILURES: readonly [string, (response: ServerResponse) => void][] = [
  ['a 503', (response) => response.writeHead(503).end()],
  ['a 502 in HTML', (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>')],
  ['a 429', (response) => response.writeHead(429, { 'retry-after': '0' }).end()],
  ['a broken connection', (response) => response.destroy()],
  [
    'an answer cut short',
    (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{');
      response.socket?.end();
    },
  ],
];

const CHANGES: readonly [string, (client: FliptClient) => Promise<unknown>][] = [
  ['tokens.create', ({ tokens }) => tokens.create({ name: 'ci' })],
  ['rules.create', ({ rules }) => rules.create('default', 'banner', { segmentKey: 'beta', rank: 1 })],
  ['segments.create', ({ segments }) => segments.create('default', { key: 'beta', name: 'Beta' })],
  [
    'segments.update',
    ({ segments }) =>
      segments.update('default', 'beta', { name: 'Beta', description: '', matchType: 'ALL_MATCH_TYPE' }),
  ],
  ['variants.update', ({ variants }) => variants.update('default', 'banner', 'id', { key: 'red' })],
];

describe('reading and evaluating', () => {
  it.each(PASSING_FAILURES)('are repeated after %s', async (_, fail) => {
    const { client, server } = await serving(failing(2, fail, SEGMENT));
    expect(await client.segments.get('default', 'beta')).toEqual(SEGMENT);
    expect(server.requests).toHaveLength(3);
  });

  it('are repeated even if they are a POST', async () => {
    const { client, server } = await serving(failing(1, (response) => response.destroy(), EMPTY_BATCH));
    await client.evaluation.batch([]);
    expect(server.requests).toHaveLength(2);
  });

  it('are not repeated if the service has refused', async () => {
    const refusal = { code: 3, message: 'no', details: [{ why: 'so' }] };
    const { client, server } = await serving((_, response) => {
      answerJson(response, refusal, 400);
    });
    await expect(client.segments.list('default')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'GET /api/v1/namespaces/default/segments answered 400: no',
      details: [{ why: 'so' }],
    });
    expect(server.requests).toHaveLength(1);
  });

  it('are given up after http.retries', async () => {
    const { client, server } = await serving((_, response) => response.writeHead(503).end(), {
      http: { retries: 1 },
    });
    await expect(client.segments.list('default')).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(server.requests).toHaveLength(2);
  });

  it('are tried once more with renewed credentials', async () => {
    let count = 0;
    const { client, server } = await serving(
      ({ headers }, response) => {
        if (headers.authorization === 'Bearer second-one') answerJson(response, SEGMENT);
        else answerJson(response, { code: 16, message: 'request was not authenticated' }, 401);
      },
      { auth: { headers: () => ({ authorization: `Bearer ${++count === 1 ? 'first' : 'second'}-one` }) } },
    );
    expect(await client.segments.get('default', 'beta')).toEqual(SEGMENT);
    expect(server.requests).toHaveLength(2);
  });
});

describe('a change is sent once', () => {
  describe.each(CHANGES)('%s', (operation, change) => {
    it.each(PASSING_FAILURES)('after %s', async (_, fail) => {
      const { client, server } = await serving((_, response) => {
        fail(response);
      });
      await expect(change(client)).rejects.toMatchObject({ name: 'FliptServiceError', operation });
      expect(server.requests).toHaveLength(1);
    });

    it('after a 401', async () => {
      const { client, server } = await serving((_, response) => {
        answerJson(response, { code: 16, message: 'request was not authenticated', details: [] }, 401);
      });
      await expect(change(client)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', operation });
      expect(server.requests).toHaveLength(1);
    });

    it('after a time-out', async () => {
      const { client, server } = await serving(() => undefined, { http: { timeoutMs: 150 } });
      await expect(change(client)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED', operation });
      expect(server.requests).toHaveLength(1);
    });
  });

  it('on a connection that the service has just closed', async () => {
    let count = 0;
    const { client, server } = await serving((_, response) => {
      if (++count === 1) answerJson(response, SEGMENT);
      else response.socket?.destroy();
    });
    await client.segments.get('default', 'beta');
    await expect(client.segments.create('default', { key: 'a', name: 'a' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(server.requests).toHaveLength(2);
  });

  it('but the next one is sent with the token that the file holds then', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flipt-client-'));
    atEnd(() => rm(folder, { recursive: true }));
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'first-token');
    const { client, server } = await serving(
      ({ headers }, response) => {
        if (headers.authorization === 'Bearer second-token') answerJson(response, SEGMENT);
        else answerJson(response, { code: 16, message: 'request was not authenticated' }, 401);
      },
      { auth: { tokenFile } },
    );
    const create = () => client.segments.create('default', { key: 'beta', name: 'Beta' });
    await expect(create()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await writeFile(tokenFile, 'second-token');
    expect(await create()).toEqual(SEGMENT);
    expect(server.requests).toHaveLength(2);
  });
});
