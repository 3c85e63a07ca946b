import { getEventListeners, once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { FliptClient } from '../../src/client/index.js';
import { answerJson } from '../servers/scripted.fixture.js';
import { SEGMENT, serving } from './serving.fixture.js';
import { eventually, PATIENCE_MS } from '../eventually.fixture.js';

const REASON = new Error('enough');

/** A service that rejects the first credentials. The fresh ones never come: `refreshing` is called instead. */
async function rejecting(refreshing: (client: FliptClient) => void) {
  let isFirst = true;
  const headers = () => {
    if (isFirst) {
      isFirst = false;
      return { authorization: 'Bearer first' };
    }
    queueMicrotask(() => {
      refreshing(serves.client);
    });
    return new Promise<never>(() => undefined);
  };
  const serves = await serving((_, response) => response.writeHead(401).end(), { auth: { headers } });
  return serves;
}

describe('a signal', () => {
  it('that is aborted already keeps the request, and the question for credentials, from being sent', async () => {
    const headers = vi.fn(() => ({}));
    const { client, server } = await serving(() => undefined, { auth: { headers } });
    await expect(client.segments.list('default', { signal: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
    expect(headers).not.toHaveBeenCalled();
    expect(server.requests).toHaveLength(0);
  });

  it.each<[string, (client: FliptClient, signal: AbortSignal) => Promise<unknown>]>([
    ['tokens.create', ({ tokens }, signal) => tokens.create({ name: 'a' }, { signal })],
    ['tokens.get', ({ tokens }, signal) => tokens.get('a', { signal })],
    ['evaluation.batch', ({ evaluation }, signal) => evaluation.batch([], { signal })],
    ['rules.create', ({ rules }, signal) => rules.create('a', 'b', { segmentKey: 'c', rank: 1 }, { signal })],
    ['rules.list', ({ rules }, signal) => rules.list('a', 'b', { signal })],
    ['rules.iterate', ({ rules }, signal) => rules.iterate('a', 'b', { signal }).next()],
    ['variants.update', ({ variants }, signal) => variants.update('a', 'b', 'c', { key: 'd' }, { signal })],
    ['segments.list', ({ segments }, signal) => segments.list('a', { signal })],
    ['segments.iterate', ({ segments }, signal) => segments.iterate('a', { signal }).next()],
    ['segments.get', ({ segments }, signal) => segments.get('a', 'b', { signal })],
    ['segments.create', ({ segments }, signal) => segments.create('a', { key: 'b', name: 'c' }, { signal })],
    [
      'segments.update',
      ({ segments }, signal) =>
        segments.update('a', 'b', { name: 'c', description: '', matchType: 'ALL_MATCH_TYPE' }, { signal }),
    ],
  ])('ends %s under way, with its reason', async (_, call) => {
    const controller = new AbortController();
    const { client, server } = await serving(() => {
      controller.abort(REASON);
    });
    await expect(call(client, controller.signal)).rejects.toBe(REASON);
    expect(server.requests).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('ends the request, so that Flipt does not go on with it', async () => {
    const controller = new AbortController();
    let isGone = false;
    const { client } = await serving(
      (_, response) => {
        response.once('close', () => (isGone = true));
        controller.abort(REASON);
      },
      { http: { timeoutMs: 4 * PATIENCE_MS } },
    );
    await expect(client.segments.list('a', { signal: controller.signal })).rejects.toBe(REASON);
    await eventually(() => isGone);
  });

  it('ends the wait for another attempt', async () => {
    const controller = new AbortController();
    const { client, server } = await serving(
      (_, response) => {
        response.once('finish', () => {
          controller.abort(REASON);
        });
        response.writeHead(503, { 'retry-after': '1' }).end();
      },
      { http: { timeoutMs: 30_000 } },
    );
    await expect(client.segments.list('a', { signal: controller.signal })).rejects.toBe(REASON);
    expect(server.requests).toHaveLength(1);
  });

  it('ends the wait for credentials, and nothing is sent', async () => {
    const controller = new AbortController();
    const { client, server } = await serving(() => undefined, {
      http: { timeoutMs: 10_000 },
      auth: {
        headers: () => {
          queueMicrotask(() => {
            controller.abort(REASON);
          });
          return new Promise(() => undefined);
        },
      },
    });
    await expect(client.segments.list('a', { signal: controller.signal })).rejects.toBe(REASON);
    expect(server.requests).toHaveLength(0);
  });

  it('ends the wait for fresh credentials', async () => {
    const controller = new AbortController();
    const { client } = await rejecting(() => {
      controller.abort(REASON);
    });
    await expect(client.segments.list('a', { signal: controller.signal })).rejects.toBe(REASON);
  });

  it('may end many calls, without a warning and without leaving listeners', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    const { client } = await serving((_, response) => {
      answerJson(response, SEGMENT);
    });
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => client.segments.get('a', 'b', { signal })));
    process.off('warning', warned);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('that is aborted after the answer changes nothing', async () => {
    const controller = new AbortController();
    const { client } = await serving((_, response) => {
      answerJson(response, SEGMENT);
    });
    const segment = await client.segments.get('a', 'b', { signal: controller.signal });
    controller.abort();
    expect(segment).toEqual(SEGMENT);
  });
});

describe('close', () => {
  it('ends what is under way, and refuses what comes later', async () => {
    const arrived = new EventTarget();
    const { client, server } = await serving(() => arrived.dispatchEvent(new Event('request')));
    const underWay = client.segments.list('default').catch((error: unknown) => error);
    await once(arrived, 'request');
    await client.close();
    await client.close();
    const ended = {
      name: 'FliptServiceError',
      code: 'CANCELLED',
      message: 'GET /api/v1/namespaces/default/segments: the Flipt client is closed',
    };
    expect(await underWay).toMatchObject(ended);
    await expect(client.segments.list('default')).rejects.toMatchObject({ ...ended, status: undefined });
    expect(server.requests).toHaveLength(1);
  });

  it('ends the wait for fresh credentials', async () => {
    const { client } = await rejecting((asking) => void asking.close());
    await expect(client.segments.list('a')).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('ends the connections', async () => {
    const { client, server } = await serving((_, response) => {
      answerJson(response, SEGMENT);
    });
    await client.segments.get('a', 'b');
    expect(await server.connections()).toBe(1);
    await client[Symbol.asyncDispose]();
    await eventually(async () => {
      expect(await server.connections()).toBe(0);
    });
  });
});
