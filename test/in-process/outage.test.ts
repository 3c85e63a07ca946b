import { ServerProviderStatus } from '@openfeature/server-sdk';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { watching } from '../provider/changing.fixture.js';
import {
  localService,
  refusedAddress,
  starting,
  temporaryFolder,
  untilSnapshot,
} from '../provider/open.fixture.js';
import { FEATURES, PRO } from './features.fixture.js';
import { patientWithStores } from './hurry.fixture.js';
import { countedService } from '../servers/counted-service.fixture.js';
import { placeOf } from '../servers/own-address.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';

const MODES = ['remote', 'in-process'] as const;

/** Of a service that never answers. */
const SILENT = { request: () => new Promise<never>(() => undefined) };

let folder: string;
let file: string;
beforeEach(patientWithStores);
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'snapshot');
});

/** Leaves a file behind, like a provider of an earlier run. */
async function keep(url: string): Promise<void> {
  const { provider, registered } = starting({ url, snapshot: { file } });
  await registered;
  await untilSnapshot(provider);
  await provider.onClose();
}

/** The same, but the service is gone. */
async function keptFile(): Promise<string> {
  const service = await localService({ features: FEATURES });
  await keep(service.url);
  await service.close();
  return service.url;
}

describe('an outage', () => {
  it('gives no default to users who were never asked about, in remote mode', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider, registered } = starting({ url: service.url });
    await registered;
    await untilSnapshot(provider);
    await service.close();
    expect(await client.getStringDetails('colour', 'none', PRO)).toMatchObject({
      value: 'red',
      reason: 'STALE',
      flagMetadata: { source: 'in-process' },
    });
    expect(await client.getBooleanDetails('missing', true)).toMatchObject({
      value: true,
      errorCode: 'GENERAL',
    });
  });

  it('is PROVIDER_STALE, not PROVIDER_ERROR, as long as there is a snapshot', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider, registered } = starting({ url: service.url });
    await registered;
    const { counts, until } = watching(client);
    await untilSnapshot(provider);
    await service.close();
    for (let user = 0; user < 5; user++) {
      expect(await client.getBooleanValue('banner', false, { targetingKey: `user-${user}` })).toBe(true);
    }
    await until(ServerProviderStatus.STALE);
    expect(counts.PROVIDER_ERROR).toBeUndefined();
  });
});

describe('an outage, in-process', () => {
  useTurningClock();

  it('is STALE after the watch is lost, gives no defaults, and is READY when the service is back', async () => {
    const service = await localService({ features: FEATURES });
    await keep(service.url);
    const { client, registered } = starting({
      url: service.url,
      evaluation: 'in-process',
      watch: { pollMs: 100 },
      // The service sends no more bodies than it must: polls would be 20 times as far apart as a body takes.
      snapshot: { file },
    });
    await registered;
    const { counts, until } = watching(client);
    await service.close();
    await until(ServerProviderStatus.STALE);
    expect(await client.getStringDetails('colour', 'none', PRO)).toMatchObject({
      value: 'red',
      reason: 'STALE',
    });
    await localService({ features: FEATURES, ...placeOf(service.url) });
    await until(ServerProviderStatus.READY);
    expect(await client.getStringDetails('colour', 'none', PRO)).toMatchObject({
      value: 'red',
      reason: 'TARGETING_MATCH',
    });
    expect(counts.PROVIDER_ERROR).toBeUndefined();
  });
});

describe.each(MODES)('a start without the service, %s', (evaluation) => {
  it('evaluates the saved snapshot: READY, then STALE', async () => {
    const url = await keptFile();
    const { client, registered } = starting({ url, evaluation, snapshot: { file } });
    await registered;
    await watching(client).until(ServerProviderStatus.STALE);
    expect(await client.getStringDetails('colour', 'none', PRO)).toMatchObject({
      value: 'red',
      reason: 'STALE',
    });
  });

  it('evaluates the initial snapshot', async () => {
    const url = await refusedAddress();
    const { client, registered } = starting({ url, evaluation, snapshot: { initial: FEATURES } });
    await registered;
    await watching(client).until(ServerProviderStatus.STALE);
    expect(await client.getStringValue('colour', 'none', PRO)).toBe('red');
  });

  it.each([
    ['another namespace', (text: string) => text, { namespace: 'team' }, 'it belongs to namespace "default"'],
    ['a damaged file', (text: string) => text.slice(0, -20), {}, 'not JSON: the body ends too early'],
  ])('warns once about %s, and goes on without it', async (_, edit, options, words) => {
    const url = await keptFile();
    await writeFile(file, edit(await readFile(file, 'utf8')));
    const { client, logger, registered } = starting({
      url,
      evaluation,
      snapshot: { file },
      initTimeoutMs: 1_000,
      http: { dispatcher: SILENT },
      ...options,
    });
    await registered.catch(() => undefined);
    expect(client.providerStatus).toBe('ERROR');
    const warnings = logger.warn.mock.calls.map(([warning]) => String(warning));
    expect(
      warnings.filter((warning) => warning.startsWith(`snapshot.file ${file} is not used: ${words}`)),
    ).toHaveLength(1);
  });
});

describe('a saved snapshot', () => {
  it.runIf(process.platform !== 'win32')('can be read only by its owner', async () => {
    await keptFile();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('that the service confirms is asked for with its ETag, and not fetched again', async () => {
    const service = await countedService();
    onTestFinished(() => service.close());
    const first = starting({ url: service.url, snapshot: { file } });
    await first.registered;
    await untilSnapshot(first.provider);
    await first.provider.onClose();
    const second = starting({ url: service.url, evaluation: 'in-process', snapshot: { file } });
    await second.registered;
    await second.provider.refresh();
    expect(await second.client.getStringValue('state', 'none', PRO)).toBe('1');
    expect(second.client.providerStatus).toBe('READY');
    expect(service.counts).toMatchObject({ polls: 2, whole: 1 });
  });

  it('may be in any store, and a store that fails causes one warning', async () => {
    const service = await localService({ features: FEATURES });
    const store = {
      load: () => Promise.resolve(undefined),
      save: () => Promise.reject(new Error('read only')),
    };
    const { logger, provider, registered } = starting({ url: service.url, snapshot: { store } });
    await registered;
    await untilSnapshot(provider);
    await provider.onClose();
    expect(logger.warn.mock.calls).toEqual([
      ['the store could not save the snapshot: read only; the provider goes on without it'],
    ]);
  });

  it('without its folder is a warning that names it', async () => {
    const service = await localService({ features: FEATURES });
    const nowhere = join(folder, 'missing', 'snapshot');
    const { logger, provider, registered } = starting({ url: service.url, snapshot: { file: nowhere } });
    await registered;
    await untilSnapshot(provider);
    await provider.onClose();
    expect(logger.warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^snapshot\.file .* could not load the snapshot: its folder .* does not exist; /,
        ),
      ],
    ]);
  });
});
