import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
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
