import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/time/clock.js';
import { flags, type FlagsOptions } from '../../../src/adapters/express/index.js';

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
  [{ context, domain: 7 }, 'flags: domain: expected a string, got 7'],
  [
    { context, prefetch: 'flag' },
    'flags: prefetch: expected a list of flag keys or a function, got a string',
  ],
  [{ context, prefetch: [7] }, 'flags: prefetch: expected a list of flag keys or a function, got a list'],
  [
    { context, '\x1b[31mred': 1 },
    'flags: \\u{1b}[31mred: unknown option, expected one of context, domain, prefetch',
  ],
  [{ context, preload: [] }, 'flags: preload: unknown option, expected one of context, domain, prefetch'],
])('refuses %o', (options, message) => {
  expect(() => flags(options as FlagsOptions)).toThrow(new TypeError(message));
});

it('times out an async context after 1 s', async () => {
  // The clock stands still, so that no part of the time limit passes before its timer is set.
  const now = vi.spyOn(systemClock, 'now').mockReturnValue(0);
  const after = vi.spyOn(systemClock, 'after').mockReturnValue(() => undefined);
  const slow = flags({ context: async () => new Promise(() => undefined) });
  const failure = new Promise((resolve) => {
    void slow({} as never, { once: () => undefined } as never, resolve);
  });
  expect(after).toHaveBeenCalledExactlyOnceWith(1_000, expect.any(Function), undefined);
  now.mockReturnValue(1_000);
  after.mock.calls[0]?.[1]();
  expect(await failure).toEqual(new Error('flags: context has not settled within 1000 ms'));
});
