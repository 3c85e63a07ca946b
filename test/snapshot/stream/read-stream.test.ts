import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { openTransport } from '../../../src/http/exchange.js';
import { startLocalService } from '../../../src/local/index.js';
import { clientSettings } from '../../../src/options/settings.js';
import { streamReader, type StreamEnd } from '../../../src/snapshot/stream/read-stream.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { scriptedServer, type Script } from '../../servers/scripted.fixture.js';
import { signal } from '../../signal.fixture.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function reading(url: string, environment?: string) {
  const clock = manualClock();
  const transport = openTransport(clientSettings({ url }, {}), runtimeOf(clock));
  closing.push(transport.close);
  const settings = { namespace: 'default', environment, firstEventMs: 2000 };
  const read = streamReader(transport.send, settings, clock);
  const announced: string[] = [];
  let heard = signal();
  const leaving = new AbortController();
  const ended = read((digest) => {
    announced.push(digest);
    heard.give();
    heard = signal();
  }, leaving.signal);
  return {
    clock,
    announced,
    ended,
    leave: () => {
      leaving.abort();
    },
    next: () => heard.given,
  };
}

async function scripted(script: Script) {
  const server = await scriptedServer(script);
  closing.push(server.close);
  return server;
}

const event = (etag: string) => `id: 1\ndata: ${JSON.stringify({ etag, type: 'refetchEvaluation' })}\n\n`;
const streaming: Script = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event('one'));
};

describe('a stream', () => {
  it('announces the digest at once, and again after each change', async () => {
    const features = { flags: [{ key: 'a', type: 'BOOLEAN_FLAG_TYPE' as const, enabled: true }] };
    const service = await startLocalService({ features, port: 0, semantics: 'v2' });
    closing.push(() => service.close());
    const { announced, next, leave, ended } = reading(service.url);
    await next();
    expect(announced).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)]);

    const second = next();
    await service.setFlag('default', 'a', { enabled: false });
    await second;
    expect(new Set(announced).size).toBe(2);

    leave();
    expect(await ended).toEqual({ kind: 'left' });
  });

  it('is asked for with exactly this type, with the environment, and without a digest', async () => {
    const server = await scripted(streaming);
    const { next } = reading(`${server.url}/base`, 'staging');
    await next();

    expect(server.requests).toMatchObject([
      {
        method: 'GET',
        path: '/base/client/v2/environments/staging/namespaces/default/stream',
        headers: { accept: 'text/event-stream', 'x-flipt-environment': 'staging' },
      },
    ]);
  });

  it('is left after ten minutes, to be opened again: a dead connection looks like a silent one', async () => {
    const gone = signal();
    const server = await scripted((request, response) => {
      response.on('close', gone.give);
      return streaming(request, response);
    });
    const { clock, ended, next } = reading(server.url);
    await next();
    await clock.advance(599_999);
    expect(clock.timers('awaited')).toBe(0);
    expect(clock.timers('background')).toBe(1);
    await clock.advance(1);

    expect(await ended).toEqual({ kind: 'left' });
    await gone.given;
    expect(clock.timers()).toBe(0);
  });

  it('ignores events of other kinds', async () => {
    const server = await scripted((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(`data: 5\n\ndata: {"type":"hello"}\n\ndata: nonsense\n\n${event('two')}`);
    });
    const { announced, next } = reading(server.url);
    await next();
    expect(announced).toEqual(['two']);
  });

  it.each([
    ['events', event('one')],
    ['comments', ':\n'],
  ])('is broken if its %s never pause', async (_, part) => {
    const gone = signal();
    const server = await scripted((_request, response) => {
      response.on('close', gone.give);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event('one'));
      const flood = () => {
        while (!response.destroyed && response.write(part.repeat(1_000)));
      };
      response.on('drain', flood);
      flood();
    });
    const { ended } = reading(server.url);
    expect(await ended).toEqual({ kind: 'broken', why: 'more than 262144 bytes of events in a second' });
    await gone.given;
  });

  it('may have many events, one after another', async () => {
    const answers: ServerResponse[] = [];
    const server = await scripted((_request, response) => {
      answers.push(response.writeHead(200, { 'content-type': 'text/event-stream' }));
      response.write(event('one'));
    });
    const { announced, next, clock, leave, ended } = reading(server.url);
    await next();
    for (let second = 0; second < 10; second++) {
      await clock.advance(1_000);
      answers[0]?.write(event('two').repeat(1_000));
      while (announced.length < (second + 1) * 1_000) await next();
    }
    leave();
    expect(await ended).toEqual({ kind: 'left' });
  });

  it('is broken if the other side ends it', async () => {
    const server = await scripted((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event('one'));
    });
    const { announced, ended } = reading(server.url);

    expect(await ended).toEqual({ kind: 'broken', why: 'the stream has ended' });
    expect(announced).toEqual(['one']);
  });
});

describe('there is no stream', () => {
  it.each<[string, Script, StreamEnd]>([
    [
      'where the path is unknown',
      (_, response) => response.writeHead(404).end(),
      { kind: 'not-offered', why: '404 with an empty body' },
    ],
    [
      'where the type is not served',
      (_, response) => response.writeHead(406).end(),
      { kind: 'not-offered', why: '406 with an empty body' },
    ],
    [
      'where whole snapshots come, as before 2.9',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"flags":[]}\n'),
      { kind: 'not-offered', why: 'application/x-ndjson instead of a stream' },
    ],
  ])('%s', async (_what, script, expected) => {
    const gone = signal();
    const server = await scripted((request, response) => {
      response.on('close', gone.give);
      return script(request, response);
    });

    expect(await reading(server.url).ended).toEqual(expected);
    await gone.given;
  });

  it.each<[string, Script]>([
    ['headers', () => undefined],
    [
      'event',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      },
    ],
  ])('if no %s comes in time', async (_what, script) => {
    const asked = signal();
    const gone = signal();
    const server = await scripted((request, response) => {
      response.on('close', gone.give);
      asked.give();
      return script(request, response);
    });
    const { clock, ended } = reading(server.url);
    await asked.given;
    await clock.advance(2000);

    expect(await ended).toEqual({ kind: 'not-offered', why: 'no event came within 2000 ms' });
    await gone.given;
    expect(clock.timers()).toBe(0);
  });

  it('for now, if no event comes while the event loop is blocked', async () => {
    const asked = signal();
    const server = await scripted(() => {
      asked.give();
    });
    const { clock, ended } = reading(server.url);
    await asked.given;
    clock.block(2000);
    await clock.advance(0);

    const why = 'no event came within 2000 ms; the event loop was blocked';
    expect(await ended).toEqual({ kind: 'broken', why });
    expect(clock.timers()).toBe(0);
  });

  it.each([500, 503])('for now, if the service answers %i', async (status) => {
    const server = await scripted((_, response) => response.writeHead(status).end());

    expect(await reading(server.url).ended).toEqual({
      kind: 'broken',
      isRefused: true,
      why: `${status} with an empty body`,
    });
  });

  it('for as long as the service asks for by Retry-After', async () => {
    const server = await scripted((_, response) => response.writeHead(429, { 'retry-after': '90' }).end());

    expect(await reading(server.url).ended).toMatchObject({ kind: 'broken', retryAfterMs: 90_000 });
  });
});
