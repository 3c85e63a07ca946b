import { describe, expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import {
  flipt,
  localService,
  open,
  recordingLogger,
  refusedAddress,
  register,
} from '../provider/open.fixture.js';
import { FEATURES, PRO } from './features.fixture.js';
import { offline } from './offline.fixture.js';

describe('without a service to ask', () => {
  it('sends nothing, and answers as usual', async () => {
    const { client, provider } = await offline({ url: await refusedAddress() });
    expect(client.providerStatus).toBe('READY');
    expect(await client.getBooleanDetails('banner', false)).toMatchObject({ value: true, reason: 'DEFAULT' });
    expect(await client.getObjectValue('colour', {}, { targetingKey: 'user-2' })).toEqual({ rgb: '00f' });
    await provider.prefetch(['banner']);
    provider.invalidate();
  });

  it('accepts the result of getSnapshot', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, evaluation: 'in-process' });
    const initial = await provider.getSnapshot();
    expect(initial).toBeDefined();
    const { client } = await offline({ snapshot: { initial } });
    expect(await client.getStringValue('colour', 'none', PRO)).toBe('red');
  });

  it('accepts it with a flag that looks like one of a features document', async () => {
    const rollouts = [{ threshold: { percentage: 100, value: true } }];
    const { client, provider } = await offline({
      snapshot: {
        initial: {
          namespace: { key: 'default' },
          digest: '',
          flags: [
            { key: 'new', type: 'BOOLEAN_FLAG_TYPE', rollouts, variants: [] },
            {
              key: 'old',
              type: 'BOOLEAN_FLAG_TYPE',
              rollouts: rollouts.map((rollout) => ({ type: 'THRESHOLD_ROLLOUT_TYPE', ...rollout })),
            },
          ],
        },
      },
    });
    expect(await client.getBooleanValue('old', false, PRO)).toBe(true);
    expect(await client.getBooleanDetails('new', false, PRO)).toMatchObject({ errorCode: 'PARSE_ERROR' });
    expect(provider.getStatus().watch?.unreadable.count).toBe(1);
  });

  it('follows v2 for a features document with semantics v2', async () => {
    const { provider } = await offline({ snapshot: { initial: FEATURES, semantics: 'v2' } });
    expect(await provider.getSnapshot()).toMatchObject({ semantics: 'v2' });
  });

  it.each([
    [{ flags: [{ key: 'a' }, {}] }, 'flags that have keys (flags[1] has none)'],
    [{ flags: ['a'] }, 'flags that have keys (flags[0] has none)'],
    [{ flags: {} }, 'a snapshot or a features document, an object with a list flags, got an object'],
  ])('refuses an initial snapshot that cannot be one: %j', (initial, words) => {
    expect(() => flipt({ snapshot: { initial } })).toThrow(
      new TypeError(`FliptProvider: snapshot.initial: expected ${words}`),
    );
  });

  it('says what is wrong with an initial snapshot', async () => {
    const initial = { namespace: { key: 'team' }, digest: '', flags: [{ key: 'a' }] };
    const provider = flipt({ evaluation: 'in-process', watch: false, snapshot: { initial } });
    await expect(register(provider).registered).rejects.toThrow(
      /there is no snapshot to evaluate from .*: snapshot\.initial is not used: namespace\.key: .* got "team"/,
    );
    expect(await provider.resolveBooleanEvaluation('a', true, {})).toMatchObject({
      value: true,
      errorMessage: expect.stringContaining('snapshot.initial is not used: namespace.key') as string,
    });
  });

  it('loads from a store that could not be asked when it is initialized again', async () => {
    const service = await localService({ features: FEATURES });
    let text: string | undefined;
    const url = service.url;
    const store = {
      load: () => (text === undefined ? Promise.reject(new Error('no database')) : Promise.resolve(text)),
      save: (saved: string) => {
        text = saved;
        return Promise.resolve();
      },
    };
    const provider = new FliptProvider({
      url,
      evaluation: 'in-process',
      watch: false,
      snapshot: { store },
      logger: recordingLogger(),
    });
    await expect(provider.initialize()).rejects.toThrow('no database');
    const other = await open({ url, evaluation: 'in-process', snapshot: { store } });
    await other.provider.onClose();
    await provider.initialize();
    expect(await provider.resolveBooleanEvaluation('banner', false, {})).toMatchObject({ value: true });
    await provider.onClose();
  });

  it('says what to do where no snapshot is saved yet', async () => {
    const store = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };
    const { client, registered } = register(
      flipt({ evaluation: 'in-process', watch: false, snapshot: { store } }),
    );
    await expect(registered).rejects.toThrow(
      /watch: false\): no snapshot has been saved yet; set snapshot\.initial/,
    );
    const { errorMessage } = await client.getBooleanDetails('banner', true);
    expect(errorMessage).toContain('no snapshot has been saved yet');
  });

  it('says what is wrong with a features document', async () => {
    const logger = recordingLogger();
    const provider = flipt({
      evaluation: 'in-process',
      watch: false,
      snapshot: { initial: { flags: [{ key: 'a', enabled: 'maybe' }], segments: [] } },
      logger,
    });
    const { client, registered } = register(provider);
    await expect(registered).rejects.toThrow('there is no snapshot to evaluate from');
    expect(logger.warn).toHaveBeenCalledWith(
      expect.stringMatching(/^snapshot\.initial is not used: .*flags\[0\]\.enabled/s),
    );
    expect(await client.getBooleanDetails('banner', true)).toMatchObject({
      value: true,
      errorCode: 'GENERAL',
    });
  });
});
