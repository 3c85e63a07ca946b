import {
  AsyncLocalStorageTransactionContextPropagator,
  MultiProvider,
  OpenFeature,
  type Client,
  type EvaluationContext,
  type Provider,
  type TrackingEventDetails,
} from '@openfeature/server-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FliptProvider, TrackingEvent, TrackingOptions } from '../../../src/index.js';
import { useTurningClock } from '../../turning-clock.fixture.js';
import { flipt, localService, register } from '../open.fixture.js';

// A close waits for `send`, and up to 2 s.
useTurningClock();

const FEATURES = {
  flags: [
    { key: 'new-checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    { key: 'colour', enabled: true, variants: [{ key: 'red', default: true }] },
  ],
} as const;

const ATTRIBUTES = ['api', 'transaction', 'client', 'call', 'who'];

/** A registered provider whose events are kept, and a client of it. */
async function tracked(
  options: Partial<TrackingOptions> = {},
  asRegistered: (provider: FliptProvider) => Provider = (provider) => provider,
) {
  const service = await localService({ features: FEATURES });
  const events: TrackingEvent[] = [];
  const send = (more: readonly TrackingEvent[]) => events.push(...more);
  const provider = flipt({ url: service.url, tracking: { send, attributes: ATTRIBUTES, ...options } });
  const { client, registered } = register(asRegistered(provider));
  await registered;
  const sent = async () => {
    await provider.flush();
    return events;
  };
  return { provider, client, sent };
}

describe("OpenFeature's client.track, with this provider", () => {
  it('sends the name and the details as they are', async () => {
    const { client, sent } = await tracked();
    const details = { value: 99.77, currencyCode: 'USD', nested: { list: [1, 'a', true, null] } };
    client.track('checkout', { targetingKey: 'ada' }, details);
    client.track('no-details');
    expect(await sent()).toMatchObject([
      { kind: 'track', name: 'checkout', targetingKey: 'ada', details },
      { kind: 'track', name: 'no-details', details: {} },
    ]);
  });

  it('merges the contexts of the API, the transaction, the client and the call, the last of which wins', async () => {
    OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
    OpenFeature.setContext({ targetingKey: 'api', who: 'api', api: 1 });
    onTestFinished(() => void OpenFeature.setContext({}));
    const { client, sent } = await tracked();
    client.setContext({ targetingKey: 'client', who: 'client', client: 3 });
    OpenFeature.setTransactionContext(
      { targetingKey: 'transaction', who: 'transaction', transaction: 2 },
      () => {
        client.track('all', { targetingKey: 'call', who: 'call', call: 4 });
        client.track('client');
      },
    );
    expect(await sent()).toMatchObject([
      {
        name: 'all',
        targetingKey: 'call',
        attributes: { who: 'call', api: 1, transaction: 2, client: 3, call: 4 },
      },
      {
        name: 'client',
        targetingKey: 'client',
        attributes: { who: 'client', api: 1, transaction: 2, client: 3 },
      },
    ]);
  });

  it.each<[string, Partial<TrackingOptions>]>([
    [
      'throws',
      {
        send: () => {
          throw new Error('down');
        },
      },
    ],
    ['rejects', { send: () => Promise.reject(new Error('down')) }],
    ['never ends', { send: () => new Promise(() => undefined) }],
  ])('does not throw, and loses no evaluation, if send %s', async (_, options) => {
    const { client, provider } = await tracked(options);
    expect(() => {
      client.track('checkout', { targetingKey: 'ada' }, { value: 1 });
    }).not.toThrow();
    expect(await client.getBooleanValue('new-checkout', false, { targetingKey: 'ada' })).toBe(true);
    expect(provider.getStatus().tracking?.waiting).toBeGreaterThan(0);
  });

  it('sends nothing after the close, and does nothing without the option', async () => {
    const { provider, client, sent } = await tracked();
    client.track('in-time');
    await provider.onClose();
    client.track('late');
    expect(await sent()).toMatchObject([{ name: 'in-time' }]);

    const without = flipt({ url: 'http://127.0.0.1:9' });
    without.track('nobody', {}, {});
    expect(without.getStatus().tracking).toBeNull();
    await without.onClose();
  });

  it('works through a MultiProvider, together with exposures', async () => {
    const { client, sent } = await tracked({}, (provider) => new MultiProvider([{ provider }]));
    expect(await client.getStringValue('colour', 'none', { targetingKey: 'ada' })).toBe('red');
    client.track('bought', { targetingKey: 'ada' }, { value: 5 });
    expect(await sent()).toMatchObject([
      { kind: 'exposure', flagKey: 'colour', variant: 'red', targetingKey: 'ada' },
      { kind: 'track', name: 'bought', targetingKey: 'ada', details: { value: 5 } },
    ]);
  });
});

/** An app that was written for LaunchDarkly: nothing in it changes but the provider that it is given. */
async function shop(provider: Provider, visits: readonly EvaluationContext[]): Promise<Client> {
  const { client, registered } = register(provider);
  await registered;
  for (const visitor of visits) {
    const isNew = await client.getBooleanValue('new-checkout', false, visitor);
    client.track('checkout-shown', visitor);
    if (isNew) client.track('purchase', visitor, { value: 20.5, currency: 'EUR' });
  }
  return client;
}

/** What LaunchDarkly's provider does with `track`: the value apart, and the rest of the details as data. */
function launchDarkly(tracks: (readonly unknown[])[]): Provider {
  const constant = <Value>(value: Value) => Promise.resolve({ value });
  return {
    metadata: { name: 'LaunchDarkly' },
    runsOn: 'server',
    resolveBooleanEvaluation: () => constant(true),
    resolveStringEvaluation: (_, value) => constant(value),
    resolveNumberEvaluation: (_, value) => constant(value),
    resolveObjectEvaluation: (_, value) => constant(value),
    track(name: string, { targetingKey }: EvaluationContext, { value, ...data }: TrackingEventDetails) {
      tracks.push([name, targetingKey, data, value]);
    },
  };
}

it("an app moved from LaunchDarkly's provider tracks the same events about the same users", async () => {
  const visits = ['ada', 'ben', 'ada'].map((targetingKey) => ({ targetingKey, plan: 'pro' }));
  const before: (readonly unknown[])[] = [];
  await shop(launchDarkly(before), visits);

  const { provider, sent } = await tracked();
  await shop(provider, visits);
  const after = (await sent()).flatMap((event) => {
    if (event.kind !== 'track') return [];
    const { value, ...data } = event.details;
    return [[event.name, event.targetingKey, data, value]];
  });
  expect(after).toEqual(before);
});
