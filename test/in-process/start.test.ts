import { ProviderEvents, ServerProviderStatus } from '@openfeature/server-sdk';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { good, watching } from '../provider/changing.fixture.js';
import {
  flipt,
  localService,
  open,
  refusedAddress,
  register,
  serving,
  temporaryFolder,
} from '../provider/open.fixture.js';
import { answerJson } from '../servers/scripted.fixture.js';
import { FEATURES, PRO } from './features.fixture.js';
import { hurry, patientWithStores } from './hurry.fixture.js';
import { eventually } from '../eventually.fixture.js';

const NEVER = { load: () => new Promise<undefined>(() => undefined), save: () => Promise.resolve() };
const NOT_READY = {
  code: 'PROVIDER_NOT_READY',
  message: 'the Flipt provider is closed: create a new FliptProvider',
};

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'snapshot');
});

describe('a provider that is closed while it starts', () => {
  it.each([
    ['before its code is loaded', {}],
    ['while a store hangs', { snapshot: { store: NEVER } }],
    ['while a store hangs, offline', { snapshot: { store: NEVER }, watch: false }],
    ['though it has a snapshot to start from', { snapshot: { initial: FEATURES } }],
    ['though it has one, remote', { snapshot: { initial: FEATURES }, evaluation: 'remote' }],
  ] as const)('is not ready: %s', async (_, options) => {
    const provider = flipt({ url: await refusedAddress(), evaluation: 'in-process', ...options });
    const initialized = provider.initialize();
    await provider.onClose();
    await expect(initialized).rejects.toMatchObject(NOT_READY);
  });

  it('sends nothing once its store answers', async () => {
    patientWithStores();
    let answer: (text: undefined) => void = () => undefined;
    const loading = new Promise<undefined>((resolve) => {
      answer = resolve;
    });
    const load = vi.fn(() => loading);
    const request = vi.fn(() => Promise.reject(new Error('closed')));
    const provider = flipt({
      evaluation: 'in-process',
      snapshot: { store: { ...NEVER, load } },
      http: { dispatcher: { request } },
    });
    const initialized = provider.initialize();
    await eventually(() => {
      expect(load).toHaveBeenCalled();
    });
    await provider.onClose();
    await expect(initialized).rejects.toMatchObject(NOT_READY);
    answer(undefined);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(request).not.toHaveBeenCalled();
  });
});

describe('a start', () => {
  it.each(['remote', 'in-process'] as const)('succeeds even if a store hangs, %s', async (evaluation) => {
    const { url } = await localService({ features: FEATURES });
    // The store has half of the time.
    hurry((ms) => ms === 30_000);
    const provider = flipt({ url, evaluation, initTimeoutMs: 60_000, snapshot: { store: NEVER } });
    const { client, registered } = register(provider);
    await registered;
    expect(await client.getStringValue('colour', 'none', PRO)).toBe('red');
  });

  it('waits for the service’s newest snapshot, even if one is saved', async () => {
    const service = await localService({ features: FEATURES });
    const options = { url: service.url, evaluation: 'in-process', snapshot: { file } } as const;
    const first = await open(options);
    await first.provider.onClose();
    await service.setFlag('default', 'banner', { enabled: false });
    const { client } = await open(options);
    expect(await client.getBooleanDetails('banner', true)).toMatchObject({
      value: false,
      flagMetadata: { source: 'in-process' },
    });
  });

  it('fetches the snapshot again when the service is there', async () => {
    const flags = [{ key: 'banner', type: 'BOOLEAN_FLAG_TYPE', enabled: true }];
    let polls = 0;
    const { url } = await serving(good, (_, response) => {
      answerJson(response, { flags }, ++polls === 1 ? 503 : 200);
    });
    const { client } = await open({ url, evaluation: 'in-process', http: { retries: 0 } });
    expect(await client.getBooleanDetails('banner', false)).toMatchObject({
      value: true,
      flagMetadata: { source: 'in-process' },
    });
    expect(polls).toBe(2);
  });

  it('announces READY and STALE once each, though the saved snapshot is old', async () => {
    patientWithStores();
    const service = await localService({ features: FEATURES });
    const first = await open({ url: service.url, evaluation: 'in-process', snapshot: { file } });
    await first.provider.onClose();
    await service.close();
    const watch = { pollMs: 100 };
    const second = flipt({ url: service.url, evaluation: 'in-process', snapshot: { file }, watch });
    const seen: string[] = [];
    second.events.addHandler(ProviderEvents.Stale, () => seen.push('STALE'));
    const { client, registered } = register(second);
    const { counts, until } = watching(client);
    await registered.then(() => seen.push('started'));
    await until(ServerProviderStatus.STALE);
    expect(seen).toEqual(['started', 'STALE']);
    expect(counts).toEqual({ PROVIDER_READY: 1, PROVIDER_STALE: 1 });
  });
});

describe('while there is no snapshot', () => {
  it('invalidate announces that all may have changed', async () => {
    const { url } = await serving(good);
    const { client, provider } = await open({ url, evaluation: 'in-process' });
    const changed = vi.fn();
    client.addHandler(ProviderEvents.ConfigurationChanged, changed);
    provider.invalidate();
    await eventually(() => {
      expect(changed).toHaveBeenCalledTimes(1);
    });
  });
});
