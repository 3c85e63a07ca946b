import { ProviderStatus } from '@openfeature/server-sdk';
import { expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { good } from './changing.fixture.js';
import { recordingLogger, register, serving } from './open.fixture.js';

const { block, passes } = useTurningClock();

/** A provider with the default time limits, whose service can block the loop that it shares with the provider. */
async function setUp() {
  let blockMs = 0;
  const server = await serving((request, response) => {
    good(request, response);
    // The answer lies in the socket meanwhile.
    if (blockMs > 0) block(blockMs);
    blockMs = 0;
  });
  const logger = recordingLogger();
  const blockNext = (ms: number) => {
    blockMs = ms;
  };
  return {
    blockNext,
    logger,
    start: () => {
      const provider = new FliptProvider({ url: server.url, logger });
      return { provider, ...register(provider) };
    },
  };
}

const asked = (keys: number) => Array.from({ length: keys }, (_, at) => `flag-${at}`);

it.each(['before its questions are sent', 'while their answers arrive'])(
  'an app that blocks its event loop for 1.1 s %s gets no default, and no word of overload',
  async (when) => {
    const { blockNext, logger, start } = await setUp();
    const { provider, client, registered } = start();
    await registered;
    if (when.startsWith('while')) blockNext(1_100);
    // More than the requests under way can hold, so that some wait in the queue.
    const coming = asked(600).map((key) => provider.resolveStringEvaluation(key, 'mine', {}));
    if (when.startsWith('before')) block(1_100);
    const values = (await Promise.all(coming)).map(({ value }) => value);
    expect(new Set(values)).toEqual(new Set(['blue']));
    await passes(5_000);
    expect(logger.warn.mock.calls).toEqual([]);
    expect(client.providerStatus).toBe(ProviderStatus.READY);
  },
);

it.each(['before it is sent', 'while its answer arrives'])(
  'an app that blocks its event loop for 6 s %s has no failed start',
  async (when) => {
    const { blockNext, logger, start } = await setUp();
    if (when.startsWith('while')) blockNext(6_000);
    const { client, registered } = start();
    if (when.startsWith('before')) block(6_000);
    await registered;
    expect(client.providerStatus).toBe(ProviderStatus.READY);
    expect(await client.getStringValue('a', 'mine')).toBe('blue');
    expect(logger.warn.mock.calls).toEqual([]);
  },
);
