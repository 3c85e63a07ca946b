import { beforeEach, describe, expect, it } from 'vitest';
import { onChanges } from '../../../../src/adapters/ofrep/push/provider-changes.js';
import { eventually } from '../../../eventually.fixture.js';
import { hurryBackground } from '../../../in-process/hurry.fixture.js';
import { flipt, localService, open, register } from '../../../provider/open.fixture.js';
import { placeOf } from '../../../servers/own-address.fixture.js';
import { FEATURES } from '../features.fixture.js';

const isVisible = (flagKey: string) => flagKey !== 'secret';

type Provider = Parameters<typeof onChanges>[0];

function heardOf(provider: Provider, visible: (flagKey: string) => boolean = isVisible) {
  const heard: (number | undefined)[] = [];
  let closed = 0;
  const stop = onChanges(provider, visible, {
    changed: (seenWithinMs) => void heard.push(seenWithinMs),
    closed: () => {
      closed += 1;
    },
  });
  return { heard, stop, closed: () => closed };
}

const POLL_MS = 20;
beforeEach(() => {
  hurryBackground(POLL_MS);
});

const breaker = { failures: 1, openForMs: 20, maxOpenForMs: 50 };

describe('changes that browsers are told of', () => {
  it('are those of visible flags, with the time after which all instances know', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({
      url: service.url,
      evaluation: 'in-process',
      watch: { pollMs: POLL_MS },
    });
    const { heard } = heardOf(provider);
    const changed = new Promise((resolve) => {
      provider.onEvent(resolve, ['flags-changed']);
    });
    service.set('secret', false);
    expect(await changed).toMatchObject({ flags: ['secret'] });
    expect(heard).toEqual([]);
    service.set('on', false);
    await eventually(() => heard.length === 1);
    expect(heard[0]).toBe(provider.getStatus().watch?.seenWithinMs);
    expect(heard[0]).toBeGreaterThanOrEqual(24);
  });

  it('are an outage and its end, if no snapshot gives the answers', async () => {
    const service = await localService({ features: FEATURES });
    const { provider, client } = await open({
      url: service.url,
      watch: false,
      breaker,
      http: { retries: 0 },
    });
    const { heard } = heardOf(provider);
    await service.close();
    await client.getBooleanValue('on', false);
    await eventually(() => heard.length === 1);
    await localService({ features: FEATURES, ...placeOf(service.url) });
    await eventually(() => heard.length === 2);
  });

  it('are none in an outage in which the snapshot gives the same answers', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, watch: { pollMs: POLL_MS }, breaker });
    await eventually(() => provider.getStatus().watch?.version !== null);
    const { heard } = heardOf(provider);
    const ended = new Promise((resolve) => {
      provider.onEvent(
        ({ type }) => {
          if (type === 'health-changed' && provider.getStatus().condition === 'ready') resolve(type);
        },
        ['health-changed'],
      );
    });
    await service.close();
    await provider.evaluateEach({ targetingKey: 'new' }, ['on']);
    await eventually(() => provider.getStatus().condition === 'stale');
    await localService({ features: FEATURES, ...placeOf(service.url) });
    await ended;
    await eventually(() => provider.getStatus().condition === 'ready');
    expect(heard).toEqual([]);
  });

  it('are the first snapshot', async () => {
    const before = await localService({ features: FEATURES });
    const { url } = before;
    await before.close();
    const provider = flipt({
      url,
      evaluation: 'in-process',
      initTimeoutMs: 1,
      watch: { pollMs: POLL_MS },
      breaker,
    });
    await register(provider).registered.catch(() => undefined);
    const { heard } = heardOf(provider);
    await localService({ features: FEATURES, ...placeOf(url) });
    await eventually(() => provider.getStatus().watch?.version !== null && heard.length > 0);
  });

  it('are a flag of which the app cannot say whether it is visible: the next answer shows the error', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({
      url: service.url,
      evaluation: 'in-process',
      watch: { pollMs: POLL_MS },
    });
    const { heard } = heardOf(provider, () => {
      throw new TypeError('flags: a promise');
    });
    service.set('secret', false);
    await eventually(() => heard.length > 0);
  });

  it('end with the provider, and with the listener', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url });
    const [first, second] = [heardOf(provider), heardOf(provider)];
    second.stop();
    provider.invalidate();
    await provider.onClose();
    expect([first.heard.length, first.closed(), second.heard.length, second.closed()]).toEqual([1, 1, 0, 0]);
  });
});
