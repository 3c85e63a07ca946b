import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Handler } from '../../../src/local/http/handler.js';
import { listen, type Listener, type ListenOptions } from '../../../src/local/http/listener.js';

const PATIENT: ListenOptions = {
  port: 0,
  host: '127.0.0.1',
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  closeTimeoutMs: 60_000,
};

const listeners: Listener[] = [];

async function start(handler: Handler, options: Partial<ListenOptions> = {}): Promise<Listener> {
  const listener = await listen(handler, { ...PATIENT, ...options });
  listeners.push(listener);
  return listener;
}

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

const answer: Handler = async (_, response) => {
  response.end('{}');
};

/** A handler that answers when the test lets it, and a promise of its first request. */
function heldBack(): { handler: Handler; entered: Promise<void>; release: () => void } {
  let enter = (): void => undefined;
  let release = (): void => undefined;
  const entered = new Promise<void>((resolve) => (enter = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const handler: Handler = async (_, response) => {
    enter();
    await released;
    response.end('{}');
  };
  return {
    handler,
    entered,
    release: () => {
      release();
    },
  };
}

async function socketTo(url: string, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  socket.resume();
  return socket;
}

describe('connections', () => {
  it.each([
    ['half of its headers', 'GET / HTTP/1.1\r\nHost:'],
    ['half of its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345'],
    ['nothing at all', ''],
  ])('that have sent %s are closed after a time limit', async (_, text) => {
    const reading: Handler = async (incoming, response) => {
      await once(incoming.resume(), 'end');
      response.end('{}');
    };
    const { url } = await start((...args) => reading(...args).catch(() => undefined), {
      headersTimeoutMs: 20,
      requestTimeoutMs: 40,
    });
    await once(await socketTo(url, text), 'close');
  });

  it('that are kept alive are ended at once by close', async () => {
    const listener = await start(answer);
    const agent = new Agent({ keepAlive: true });
    const idle = new Promise<Socket>((resolve) => {
      agent.on('free', resolve);
    });
    request(listener.url, { agent }, (response) => response.resume()).end();
    const ended = once(await idle, 'close');
    await listener.close();
    await ended;
    agent.destroy();
  });

  it('with half a request do not hold up close', async () => {
    const listener = await start(answer);
    const socket = await socketTo(listener.url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT');
    await once(socket, 'data');
    const ended = once(socket, 'close');
    await listener.close();
    await ended;
  });
});

describe('close', () => {
  it('finishes what is in flight, and takes no more', async () => {
    const { handler, entered, release } = heldBack();
    const listener = await start(handler);
    const inFlight = fetch(listener.url);
    await entered;
    const order: string[] = [];
    const closed = listener.close().then(() => order.push('closed'));
    await expect(fetch(listener.url)).rejects.toThrow();
    const answered = inFlight.then(() => order.push('answered'));
    expect(order).toEqual([]);
    release();
    await Promise.all([closed, answered]);
    expect(await (await inFlight).json()).toEqual({});
  });

  it('does not wait for ever', async () => {
    const { handler, entered } = heldBack();
    const listener = await start(handler, { closeTimeoutMs: 10 });
    const cut = fetch(listener.url).then(
      () => 'answered',
      () => 'cut',
    );
    await entered;
    await listener.close();
    expect(await cut).toBe('cut');
  });
});

describe('the address', () => {
  it('of IPv6 is in brackets', async () => {
    // A machine without IPv6 fails in one of these ways.
    const url = await start(answer, { host: '::1' }).then(
      (listener) => listener.url,
      (error: unknown) => String(error),
    );
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$|EADDRNOTAVAIL|EAFNOSUPPORT/);
  });
});
