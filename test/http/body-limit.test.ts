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
