import '../../src/provider/tracking/tracking.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FliptClient } from '../../src/client/index.js';
import { FliptProvider, type FliptProviderOptions, type SnapshotStore } from '../../src/index.js';
import { FliptModule } from '../../src/adapters/nest/index.js';
import { ofrep } from '../../src/adapters/ofrep/index.js';
import type * as RealClock from '../../src/base/time/clock.js';
import type { Clock } from '../../src/base/time/clock.js';
import { manualClock } from '../clock.fixture.js';
import { recordingLogger } from '../provider/open.fixture.js';
import { CLOSE, many, OF_CLIENT, OF_PROVIDER, OFREP, USER } from './awaited.fixture.js';

/* Everything around the package hangs: Flipt, the store, the functions of the options. */

const world = vi.hoisted(() => ({ clock: undefined as Clock | undefined }));
let clock = manualClock();
beforeEach(() => {
  world.clock = clock = manualClock();
});

vi.mock('../../src/base/time/clock.js', async (original) => {
  const real = await original<typeof RealClock>();
  const now = () => world.clock ?? real.systemClock;
  const systemClock: Clock = {
    now: () => now().now(),
    date: () => now().date(),
    after: (...timer) => now().after(...timer),
    endOfTurn: (run) => {
      now().endOfTurn(run);
    },
  };
  return { ...real, systemClock };
});
const never = () => new Promise<never>(() => undefined);
const http = { dispatcher: { request: never } };

const SHARED = { claim: never, announce: never, look: never };
const STORE: SnapshotStore = { load: never, save: never };
/** What the options may give that hangs. */
const HANGING: readonly (readonly [string, FliptProviderOptions])[] = [
  ['a silent Flipt', {}],
  ['a silent Flipt, in-process', { evaluation: 'in-process' }],
  ['a store, too', { snapshot: { store: STORE }, evaluation: 'in-process' }],
  ['a shared store, too', { snapshot: { store: { ...STORE, shared: () => SHARED } } }],
  ['auth.headers, too', { auth: { headers: never } }],
  ['tracking.send, too', { tracking: { send: never } }],
];

/** Advances the clock by the limit, after which the call must have ended. Files are loaded in real time. */
async function endsWithin(limitMs: number, coming: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  coming.then(end, end);
  await turns();
  await clock.advance(limitMs);
  await turns();
  expect(hasEnded, `it has not ended after ${limitMs} ms`).toBe(true);
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await clock.settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const providerWith = (options: FliptProviderOptions) =>
  new FliptProvider({ url: 'http://flipt.test', http, logger: recordingLogger(), ...options });

describe.each(HANGING)('with %s', (_, options) => {
  it.each(Object.entries(OF_PROVIDER))('FliptProvider.%s ends', async (name, { limitMs, call }) => {
    const provider = providerWith(options);
    // As it is in an app whose start has failed.
    if (name !== 'initialize') await endsWithin(5_000, provider.initialize());
    if (name === 'onClose') provider.track('bought', USER, {});
    await endsWithin(limitMs, call(provider));
    await endsWithin(2_000, provider.onClose());
    await turns();
    expect(clock.timers('awaited'), 'timers that keep the process alive').toBe(0);
  });

  it('FliptProvider.refresh ends after its own time', async () => {
    const provider = providerWith(options);
    await endsWithin(5_000, provider.initialize());
    await endsWithin(50, provider.refresh({ timeoutMs: 50 }));
    await endsWithin(2_000, provider.onClose());
  });
});

it.each(['save', 'announce'] as const)(
  'the close ends although a %s hangs; a save that is lost is logged',
  async (what) => {
    const snapshot = () => {
      const body = (async function* () {
        yield await Promise.resolve(Buffer.from('{"namespace":{"key":"default"},"flags":[]}'));
      })();
      return Promise.resolve({ statusCode: 200, headers: { 'content-type': 'application/json' }, body });
    };
    const hanging = vi.fn(never);
    const claim = () => Promise.resolve(true);
    const load = () => Promise.resolve(undefined);
    const shared = what === 'announce' && { shared: () => ({ ...SHARED, claim, announce: hanging }) };
    const logger = recordingLogger();
    const provider = providerWith({
      http: { dispatcher: { request: snapshot } },
      snapshot: { store: { load, save: hanging, ...shared } },
      evaluation: 'in-process',
      logger,
    });
    await endsWithin(5_000, provider.initialize());
    await endsWithin(2_000, provider.onClose());
    expect(hanging).toHaveBeenCalledTimes(1);
    // Nobody waits for an announcement.
    const line =
      'The provider is closed, although its store, a connection or tracking.send has not ended within 2000 ms';
    expect(logger.warn.mock.calls.flat().includes(line)).toBe(what === 'save');
    expect(clock.timers('awaited')).toBe(0);
  },
);

describe.each<[string, object]>([
  ['a silent Flipt', {}],
  ['auth.headers that hangs', { auth: { headers: never } }],
])('with %s', (_, options) => {
  it.each(Object.entries(OF_CLIENT))('%s ends', async (__, { limitMs, call }) => {
    const client = new FliptClient({ url: 'https://flipt.test', http, ...options });
    await endsWithin(limitMs, call(client));
    await client.close();
    expect(clock.timers()).toBe(0);
  });
});

describe('a request for flags of a browser', () => {
  it.each<[string, () => string | ReadableStream, () => Promise<object> | object]>([
    ['its context hangs', () => '{}', never],
    ['its body never ends', () => new ReadableStream(), () => USER],
    ['Flipt is silent', () => '{"context":{}}', () => USER],
  ])('ends although %s', async (_, body, context) => {
    const provider = providerWith({});
    const handle = ofrep({ context: context, flags: many(2_500), provider } as never);
    const request = new Request('http://app/ofrep/v1/evaluate/flags', {
      method: 'POST',
      body: body(),
      duplex: 'half',
    });
    await endsWithin(OFREP.limitMs, handle(request));
    await endsWithin(2_000, provider.onClose());
  });
});

it("ends Nest's shutdown", async () => {
  const provider = providerWith({ snapshot: { store: STORE } });
  await endsWithin(5_000, provider.initialize());
  const registration = { close: () => provider.onClose() };
  const module = new FliptModule({} as never, registration);
  await endsWithin(CLOSE.limitMs, module.onApplicationShutdown());
});

it.each<[unknown, string]>([
  [5, 'expected an object such as { timeoutMs: 5000 }, got a number'],
  [{ timeoutMs: 0 }, 'timeoutMs: expected milliseconds from 1 to 2147483647, got 0'],
  [{ timeoutMs: NaN }, 'timeoutMs: expected milliseconds from 1 to 2147483647, got NaN'],
  [{ timeoutMs: '5' }, 'timeoutMs: expected milliseconds from 1 to 2147483647, got a string'],
])('refresh(%j) is a TypeError', async (options, message) => {
  const provider = providerWith({});
  await expect(provider.refresh(options as never)).rejects.toThrow(new TypeError(`refresh: ${message}`));
});
