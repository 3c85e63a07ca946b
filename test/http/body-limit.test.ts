import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { signal } from '../signal.fixture.js';
import { REQUEST } from './outcomes.fixture.js';
import { serving, transportTo } from './transport.fixture.js';

describe('a body', () => {
  it('of more than 16 MB is refused, and is not read to its end', async () => {
    const gone = signal();
    const server = await serving((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const pump = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', pump);
      response.on('close', () => {
        gone.give();
      });
      pump();
    });
    expect(await transportTo(server.url).send(REQUEST)).toEqual({
      kind: 'unreadable',
      message: `Flipt at ${server.url} returned more than the allowed 16 MB`,
    });
    await gone.given;
  });
});

describe('a body at the limit', () => {
  it.each([
    [16 * 1024 * 1024, 'reply'],
    [16 * 1024 * 1024 + 1, 'unreadable'],
  ])('of %i bytes is taken or refused: %s', async (bytes, kind) => {
    const body = (async function* () {
      yield Buffer.alloc(bytes - 1, ' ');
      yield Buffer.from('1');
    })();
    const request = () => Promise.resolve({ statusCode: 200, headers: {}, body });
    const { send } = transportTo('http://flipt.test', { http: { dispatcher: { request } } });
    expect(await send(REQUEST)).toMatchObject({ kind });
  });
});

describe('a body in parts', () => {
  const parts = Array.from({ length: 40 }, (_, part) => Buffer.alloc(100_003, `${part} `));
  const whole = String(Buffer.concat(parts));

  it.each([
    ['right', whole.length],
    ['too short', 2_000_000],
    ['too long', 15_000_000],
    ['longer than anything allowed', 1e15],
    ['without end', Infinity],
    ['negative', -1],
    ['none', 'many, many'],
  ])('is read whole, whatever its length is said to be: %s', async (_, length) => {
    const request = () =>
      Promise.resolve({
        statusCode: 200,
        headers: { 'content-length': String(length) },
        body: Readable.from(parts),
      });
    const { send } = transportTo('http://flipt.test', { http: { dispatcher: { request } } });
    const reply = await send(REQUEST);
    expect('text' in reply && reply.text === whole).toBe(true);
  });
});
