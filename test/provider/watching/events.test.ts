import { MultiProvider, ProviderEvents, type Client } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import { startLocalService } from '../../../src/local/index.js';
import { localService, flipt, open, recordingLogger, register } from '../open.fixture.js';
import { signal } from '../../signal.fixture.js';
import { useTurningClock } from '../../turning-clock.fixture.js';

useTurningClock();

/** Short enough for a test, although a poll comes only after 20 times the time of the last body. */
const WATCH = { pollMs: 100 };
const flag = (key: string, enabled = true) => ({ key, type: 'BOOLEAN_FLAG_TYPE' as const, enabled });
const FEATURES = { flags: [flag('a'), flag('b'), flag('c')] };

/** A logger, and a promise of the first snapshot. Before that, there is nothing to compare with. */
function watchLogger() {
  const { given, give } = signal();
  const logger = recordingLogger();
  logger.debug.mockImplementation((message) => {
    if (message === 'The provider watches Flipt for changes of flags') give();
  });
  return { logger, watched: given };
}

/** Notes each change, after its handler has resolved the flags that it names. */
function changesOf(client: Client) {
  const changes: { readonly flags: readonly string[]; readonly values: readonly boolean[] }[] = [];
  let heard = signal();
  client.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
    const flags = [...(details?.flagsChanged ?? [])];
    void Promise.all(flags.map((key) => client.getBooleanValue(key, false))).then((values) => {
      changes.push({ flags, values });
      heard.give();
      heard = signal();
    });
  });
  return { changes, next: () => heard.given };
}

describe.each(['v1', 'v2'] as const)('a change in a service of %s', (semantics) => {
  it('is announced once, with exactly the flags that differ, and a handler gets their new values', async () => {
    const service = await localService({ features: FEATURES, semantics });
    const { logger, watched } = watchLogger();
    const { client } = await open({ url: service.url, watch: WATCH, logger });
    await watched;
    for (const { key } of FEATURES.flags) expect(await client.getBooleanValue(key, false)).toBe(true);
    const { changes, next } = changesOf(client);

    const first = next();
    await service.setFlag('default', 'b', { enabled: false });
    await first;
    const second = next();
    await service.load({ flags: [flag('a'), flag('b', false), flag('d')] });
    await second;

    expect(changes).toEqual([
      { flags: ['b'], values: [false] },
      { flags: ['c', 'd'], values: [false, true] },
    ]);
    expect(await client.getBooleanDetails('a', false)).toMatchObject({ value: true, reason: 'CACHED' });
  });
});

it('a change is announced through a MultiProvider', async () => {
  const service = await localService({ features: FEATURES });
  const { logger, watched } = watchLogger();
  const provider = flipt({ url: service.url, watch: WATCH, logger });
  const { client, registered } = register(new MultiProvider([{ provider }]));
  await registered;
  await watched;
  expect(await client.getBooleanValue('b', false)).toBe(true);
  const { changes, next } = changesOf(client);

  const first = next();
  await service.setFlag('default', 'b', { enabled: false });
  await first;

  expect(changes).toEqual([{ flags: ['b'], values: [false] }]);
});

it('with the stream, a change is announced without waiting for the interval', async () => {
  const service = await localService({ features: FEATURES, semantics: 'v2' });
  const { logger, watched } = watchLogger();
  const { client } = await open({ url: service.url, watch: { pollMs: 3_600_000, stream: true }, logger });
  await watched;
  expect(await client.getBooleanValue('b', false)).toBe(true);
  const { changes, next } = changesOf(client);

  const first = next();
  await service.setFlag('default', 'b', { enabled: false });
  await first;

  expect(changes).toEqual([{ flags: ['b'], values: [false] }]);
  expect(logger.warn).not.toHaveBeenCalled();
});

it('without the watch, nothing is announced and no snapshot is fetched', async () => {
  await using service = await startLocalService({ features: FEATURES });
  const { client } = await open({ url: service.url, watch: false });
  const before = service.requests;
  await client.getBooleanValue('a', false);

  expect(service.requests - before).toBe(1);
});
