import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openTransport } from '../../src/http/exchange.js';
import { clientSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { signal } from '../signal.fixture.js';
import { serving, transportTo } from './transport.fixture.js';

const MB = 1024 * 1024;
const DOWNLOAD = {
  method: 'GET',
  path: '/large',
  repeatable: true,
  download: { timeoutMs: 60_000, maxBytes: MB },
} as const;

describe('a download', () => {
  it('is decompressed and given as bytes', async () => {
    const text = JSON.stringify({ flags: ['é'.repeat(1000)] });
    const server = await serving((_, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        etag: 'abc',
      });
      response.end(gzipSync(text));
    });

    const reply = await transportTo(server.url).send(DOWNLOAD);

    expect(reply).toMatchObject({ kind: 'reply', status: 200, headers: { etag: 'abc' } });
    expect('bytes' in reply && String(reply.bytes)).toBe(text);
  });

  it.each(['GZIP', 'Gzip', ' gzip ', 'x-gzip'])(
    'is decompressed with the encoding %j, too',
    async (encoding) => {
      const server = await serving((_, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(gzipSync('{}'));
      });
      const reply = await transportTo(server.url).send(DOWNLOAD);
      expect('bytes' in reply && String(reply.bytes)).toBe('{}');
    },
  );

  it('that is not modified has no body, though it names an encoding as that of Flipt does', async () => {
    const server = await serving((_, response) => {
      response.writeHead(304, { 'content-encoding': 'gzip', etag: 'abc', vary: 'Accept-Encoding' });
      response.end();
    });

    expect(await transportTo(server.url).send(DOWNLOAD)).toMatchObject({
      kind: 'reply',
      status: 304,
      headers: { etag: 'abc' },
    });
  });

  it('has a time-out of its own, and its timer does not keep the process alive', async () => {
    const arrived = signal();
    const server = await serving(() => {
      arrived.give();
    });
    const { send, clock } = transportTo(server.url);
    const sent = send(DOWNLOAD);
    await arrived.given;

    expect(clock.timers('awaited')).toBe(0);
    await clock.advance(59_999);
    expect(clock.timers('background')).toBe(1);
    await clock.advance(1);

    expect(await sent).toMatchObject({
      kind: 'timeout',
      message: `Flipt at ${server.url} did not answer within 60000 ms`,
    });
    expect(clock.timers()).toBe(0);
  });

  it.each([
    ['before it begins', false],
    ['after it has begun', true],
  ])('is given up with its connection if it is silent %s', async (_when, hasBegun) => {
    const arrived = signal();
    const dropped = signal();
    const server = await serving((_, response) => {
      response.on('close', dropped.give);
      if (hasBegun) response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      arrived.give();
    });
    const { send, clock, underWay } = transportTo(server.url);
    const sent = send({ ...DOWNLOAD, download: { ...DOWNLOAD.download, silentMs: 1_999.6 } });
    await arrived.given;
    // The beginning of the response may arrive at any time of the machine, but none of the clock passes.
    await clock.advance(1_999);
    expect(underWay()).toBe(1);
    await clock.advance(1);

    expect(await sent).toMatchObject({
      kind: 'timeout',
      message: `Flipt at ${server.url} did not answer within 2000 ms`,
    });
    await dropped.given;
    expect(clock.timers()).toBe(0);
  });

  it('may take longer than it may be silent, while parts of it arrive', async () => {
    const parts = Array.from({ length: 4 }, signal);
    const clock = manualClock();
    const dispatcher = {
      request: () =>
        Promise.resolve({
          statusCode: 200,
          headers: {},
          body: (async function* () {
            for (const { given } of parts) {
              await given;
              yield Buffer.from('x');
            }
          })(),
        }),
    };
    const { send } = openTransport(clientSettings({ http: { dispatcher } }, {}), runtimeOf(clock));
    const sent = send({ ...DOWNLOAD, download: { ...DOWNLOAD.download, silentMs: 1_999.6 } });
    for (const { give } of parts) {
      await clock.advance(1_999);
      give();
    }
    await clock.settle();
    expect(await sent).toMatchObject({ kind: 'reply', text: 'xxxx' });
    expect(clock.timers()).toBe(0);
  });

  it.each([
    ['as it is', MB + 1, undefined],
    ['decompressed, though it was small on its way', 100 * MB, 'gzip'],
  ])('is refused if it is too large %s', async (_how, size, encoding) => {
    const plain = Buffer.alloc(size, ' ');
    const server = await serving((_, response) => {
      response.writeHead(200, encoding === undefined ? {} : { 'content-encoding': encoding });
      response.end(encoding === undefined ? plain : gzipSync(plain));
    });

    expect(await transportTo(server.url).send(DOWNLOAD)).toMatchObject({
      kind: 'unreadable',
      message: `Flipt at ${server.url} returned more than the allowed 1 MB`,
    });
  });

  it.each([
    ['gzip that is cut short', gzipSync('x'.repeat(5000)).subarray(0, 20)],
    ['what is no gzip', Buffer.from('<html>')],
  ])('fails for %s', async (_what, bytes) => {
    const server = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
    });

    expect(await transportTo(server.url).send(DOWNLOAD)).toMatchObject({ kind: 'unreadable' });
  });

  it('fails as a connection for gzip that the end of the connection has cut short', async () => {
    const server = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 1_000 });
      response.write(gzipSync('x'.repeat(5000)).subarray(0, 20), () => response.destroy());
    });

    expect(await transportTo(server.url).send(DOWNLOAD)).toMatchObject({ kind: 'connection' });
  });

  it('shows the beginning of an error, decompressed and without credentials', async () => {
    const server = await serving((request, response) => {
      response.writeHead(503, { 'content-encoding': 'gzip' });
      response.end(gzipSync(`down, ${request.headers.authorization ?? ''}`));
    });

    const { send } = transportTo(server.url);
    const reply = await send({ ...DOWNLOAD, credentials: { authorization: 'Bearer not-to-be-shown' } });

    expect(reply).toMatchObject({ status: 503, text: 'down, Bearer [credential]' });
  });
});
