import express from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../src/base/time/clock.js';
import { flags, ofrep, type FlagsOptions } from '../../../src/adapters/express/index.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const context = () => ({ targetingKey: 'user' });

it.each<[unknown, string]>([
  [undefined, 'flags: options: expected an object of options, got undefined'],
  [null, 'flags: options: expected an object of options, got null'],
  [{}, 'flags: context: expected a function, got undefined'],
  [{ context: undefined }, 'flags: context: expected a function, got undefined'],
  [{ context: { targetingKey: 'user' } }, 'flags: context: expected a function, got an object'],
  [{ context, contextTimeoutMs: 0 }, 'flags: contextTimeoutMs: expected milliseconds >= 1, got 0'],
  [{ context, contextTimeoutMs: '1' }, 'flags: contextTimeoutMs: expected milliseconds >= 1, got "1"'],
  [
    { context, contextTimeoutMs: 2_147_483_648 },
    'flags: contextTimeoutMs: expected milliseconds <= 2147483647, got 2147483648',
  ],
  [
    { context, contextTimeoutMs: Infinity },
    'flags: contextTimeoutMs: expected milliseconds <= 2147483647, got Infinity',
  ],
  [{ context, contextTimeoutMs: NaN }, 'flags: contextTimeoutMs: expected milliseconds >= 1, got NaN'],
  [{ context, domain: 7 }, 'flags: domain: expected a string, got 7'],
  [{ context, prefetch: 'flag' }, 'flags: prefetch: expected a list of flag keys or a function, got "flag"'],
  [{ context, prefetch: [7] }, 'flags: prefetch: expected a list of flag keys or a function, got a list'],
  [{ context, provider: {} }, 'flags: provider: expected a provider that can prefetch, got an empty object'],
  [{ context, provider: null }, 'flags: provider: expected a provider that can prefetch, got null'],
  [
    { context, '\x1b[31mred': 1 },
    'flags: \\u{1b}[31mred: unknown option, expected one of context, contextTimeoutMs, domain, prefetch, provider',
  ],
  [
    { context, preload: [] },
    'flags: preload: unknown option, expected one of context, contextTimeoutMs, domain, prefetch, provider',
  ],
])('refuses %o', (options, message) => {
  expect(() => flags(options as FlagsOptions)).toThrow(new TypeError(message));
});

it.each([
  ['flags', flags],
  ['ofrep', ofrep],
])('%s passed to Express without a call says so', async (name, middleware) => {
  const app = express();
  app.use(middleware as never);
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect(await answer.text()).toContain(
    `TypeError: ${name}: options: got a request: call ${name} yourself, as in app.use(${name}({`,
  );
});

it('treats undefined as left out', () => {
  const left = { contextTimeoutMs: undefined, domain: undefined, prefetch: undefined, provider: undefined };
  expect(() => flags({ context, ...left })).not.toThrow();
});

it('times out an async context after 1 s by default, as the doc comment says', async () => {
  // The clock stands still, so that no part of the time limit passes before its timer is set.
  vi.spyOn(systemClock, 'now').mockReturnValue(0);
  const after = vi.spyOn(systemClock, 'after').mockReturnValue(() => undefined);
  const slow = flags({ context: async () => new Promise(() => undefined) });
  const failure = new Promise((resolve) => {
    void slow({} as never, { once: () => undefined } as never, resolve);
  });
  expect(after).toHaveBeenCalledExactlyOnceWith(1_000, expect.any(Function), 'awaited');
  after.mock.calls[0]?.[1]();
  expect(await failure).toEqual(
    new Error('flags: context has not settled within 1000 ms (contextTimeoutMs)'),
  );
});
