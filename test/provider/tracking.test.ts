import {
  AsyncLocalStorageTransactionContextPropagator,
  NOOP_TRANSACTION_CONTEXT_PROPAGATOR,
  OpenFeature,
  type Client,
  type EvaluationContext,
} from '@openfeature/server-sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  FliptProvider,
  openRequestView,
  requestContext,
  type FliptProviderOptions,
  type TrackingEvent,
} from '../../src/index.js';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { PATIENT } from '../eventually.fixture.js';
import { FEATURES } from './features.fixture.js';
import { localService, recordingLogger, register } from './open.fixture.js';

const USER: EvaluationContext = { targetingKey: 'user-1', plan: 'pro' };

/** A client whose provider keeps what it would send. */
async function tracking(options: FliptProviderOptions) {
  const events: TrackingEvent[] = [];
  const logger = recordingLogger();
  const send = (more: readonly TrackingEvent[]) => void events.push(...more);
  const provider = new FliptProvider({ ...PATIENT, logger, tracking: { send }, ...options });
  const { client, registered } = register(provider);
  await registered.catch(() => undefined);
  const flushed = async () => {
    await provider.flush();
    return events;
  };
  return { client, provider, logger, flushed };
}

/** In a line: what was exposed, and how the caller got it. */
const lineOf = (event: TrackingEvent) =>
  event.kind === 'exposure'
    ? `${event.flagKey} ${event.valueType} ${event.variant} ${event.reason}`
    : event.name;

const RESULTS: readonly [string, (client: Client) => Promise<unknown>, string | undefined][] = [
  ['a boolean flag', (client) => client.getBooleanValue('on', false, USER), 'on boolean true DEFAULT'],
  [
    'a boolean flag that is off',
    (client) => client.getBooleanValue('off', true, USER),
    'off boolean false DEFAULT',
  ],
  ['a variant', (client) => client.getStringValue('colour', '', USER), 'colour string blue TARGETING_MATCH'],
  ['a default variant', (client) => client.getNumberValue('limit', 0, USER), 'limit number 25 DEFAULT'],
  [
    'an attachment',
    (client) => client.getObjectValue('layout', {}, USER),
    'layout object wide TARGETING_MATCH',
  ],
  ['no variant: the default', (client) => client.getStringValue('nobody', '', USER), undefined],
  ['a match without a variant', (client) => client.getStringValue('bare-match', '', USER), undefined],
  ['a disabled flag', (client) => client.getStringValue('retired', '', USER), undefined],
  ['a missing flag', (client) => client.getBooleanValue('absent', false, USER), undefined],
  ['another type', (client) => client.getNumberValue('colour', 0, USER), undefined],
  ['no user', (client) => client.getBooleanValue('on', false, { plan: 'pro' }), undefined],
];

describe.each(['remote', 'in-process'] as const)('exposures, %s', (evaluation) => {
  let service: LocalService;
  beforeAll(async () => {
    service = await startLocalService({ features: FEATURES });
  });
  afterAll(() => service.close());
  const tracked = () => tracking({ url: service.url, evaluation });

  it.each(RESULTS)('of %s', async (_, resolve, line) => {
    const { client, flushed } = await tracked();
    await resolve(client);
    expect((await flushed()).map(lineOf)).toEqual(line === undefined ? [] : [line]);
  });

  it('of a view, once for the same user, whatever the type that is asked for', async () => {
    const { client, flushed } = await tracked();
    const context = requestContext(USER, { view: openRequestView() });
    for (let n = 0; n < 3; n++) await client.getStringValue('limit', '', context);
    await client.getNumberValue('limit', 0, context);
    expect((await flushed()).map(lineOf)).toEqual(['limit string 25 DEFAULT']);
  });

  it('are not made where nobody has seen a value yet', async () => {
    const { client, provider, flushed } = await tracked();
    await provider.prefetch(['on', 'colour'], USER);
    await provider.evaluateAll(USER, ['on', 'colour']);
    await provider.evaluateEach(USER, ['on', 'colour']);
    await provider.explain('on', USER).catch(() => undefined);
    await provider.refresh();
    expect(await flushed()).toEqual([]);
    await client.getBooleanValue('on', false, USER);
    expect(await flushed()).toHaveLength(1);
  });

  it('have the version of the snapshot only in-process', async () => {
    const { client, flushed } = await tracked();
    await client.getBooleanValue('on', false, USER);
    const [event] = await flushed();
    expect(event && 'version' in event).toBe(evaluation === 'in-process');
  });
});

describe('tracking', () => {
  it('goes on with the answers of an outage', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider, flushed } = await tracking({
      url: service.url,
      cache: { freshForMs: 0, staleForMs: 0 },
    });
    await client.getStringValue('colour', '', USER);
    await provider.refresh();
    await service.close();
    await client.getStringValue('colour', '', USER);
    await client.getStringValue('colour', '', { ...USER, targetingKey: 'user-2' });
    const events = await flushed();
    expect(events.at(0)).toMatchObject({ targetingKey: 'user-1', variant: 'blue' });
    expect(events.map(lineOf)).toEqual(
      Array.from({ length: 2 }, () => 'colour string blue TARGETING_MATCH')
        .slice(0, 1)
        .concat('colour string blue STALE'),
    );
  });

  it('is flushed by the close, and shown in the status; a closed provider tracks nothing', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider, flushed } = await tracking({ url: service.url, environment: undefined });
    await client.getBooleanValue('on', false, USER);
    client.track('bought', USER, { value: 3 });
    expect(provider.getStatus().tracking).toEqual({ isFailing: false, waiting: 2, sent: 0, lost: 0 });
    await provider.onClose();
    expect(provider.getStatus().tracking).toEqual({ isFailing: false, waiting: 0, sent: 2, lost: 0 });
    provider.track('bought', USER, {});
    expect((await flushed()).map(lineOf)).toEqual(['on boolean true DEFAULT', 'bought']);
  });

  it('has counted what is lost by the close when the close ends', async () => {
    const service = await localService({ features: FEATURES });
    const send = () => new Promise(() => undefined);
    const { client, provider, logger } = await tracking({ url: service.url, tracking: { send } });
    client.track('bought', USER);
    await provider.onClose();
    expect(provider.getStatus().tracking).toMatchObject({ waiting: 0, lost: 1 });
    expect(logger.warn).toHaveBeenCalledWith('tracking: events are lost, because the provider was closed');
  });

  it('takes the details as they are at the call, also before its code is there, and needs none', async () => {
    const service = await localService({ features: FEATURES });
    const events: TrackingEvent[] = [];
    const send = (more: readonly TrackingEvent[]) => void events.push(...more);
    const provider = new FliptProvider({ ...PATIENT, url: service.url, tracking: { send } });
    const details = { items: ['a'] };
    provider.track('bought', USER, details);
    details.items.push('b');
    provider.track('seen');
    await provider.flush();
    await provider.onClose();
    expect(events).toMatchObject([{ details: { items: ['a'] } }, { name: 'seen', details: {} }]);
  });

  it('takes details that say themselves what JSON has of them, before and after its code is there', async () => {
    const service = await localService({ features: FEATURES });
    const events: TrackingEvent[] = [];
    const send = (more: readonly TrackingEvent[]) => void events.push(...more);
    const provider = new FliptProvider({ ...PATIENT, url: service.url, tracking: { send } });
    class Price {
      toJSON() {
        return '9.90';
      }
    }
    const details = { price: new Price() as never, at: new Date(0) };
    provider.track('bought', USER, details);
    await provider.flush();
    provider.track('bought', USER, details);
    await provider.onClose();
    const expected = { details: { price: '9.90', at: '1970-01-01T00:00:00.000Z' } };
    expect(events).toMatchObject([expected, expected]);
  });

  it('reports what was sent and lost, as events without content', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider } = await tracking({ url: service.url });
    const heard: unknown[] = [];
    provider.onEvent((event) => heard.push(event), ['tracking-sent', 'tracking-lost']);
    client.track('bought', USER, [] as never);
    client.track('bought', USER);
    await provider.flush();
    expect(heard).toEqual([
      { type: 'tracking-lost', events: 1 },
      { type: 'tracking-sent', events: 1 },
    ]);
  });

  it('without the option does nothing', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider } = await tracking({ url: service.url, tracking: undefined });
    client.track('bought', USER, { value: 3 });
    await client.getBooleanValue('on', false, USER);
    await provider.flush();
    expect(provider.getStatus().tracking).toBeNull();
  });

  it('takes what the contexts of OpenFeature, the transaction, the client and the call hold together', async () => {
    const service = await localService({ features: FEATURES });
    const sent: TrackingEvent[] = [];
    const send = (more: readonly TrackingEvent[]) => void sent.push(...more);
    const attributes = ['api', 'transaction', 'client', 'call', 'all'];
    const provider = new FliptProvider({ ...PATIENT, url: service.url, tracking: { send, attributes } });
    const { domain, registered } = register(provider);
    await registered;
    const from = (name: string) => ({ [name]: name, all: name });
    OpenFeature.setContext(from('api'));
    OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
    onTestFinished(
      () => void OpenFeature.setTransactionContextPropagator(NOOP_TRANSACTION_CONTEXT_PROPAGATOR),
    );
    onTestFinished(() => void OpenFeature.setContext({}));
    const client = OpenFeature.getClient(domain, from('client'));
    OpenFeature.setTransactionContext(from('transaction'), () => {
      client.track('bought', { targetingKey: 'ada', ...from('call') }, { value: 99.5, of: { cart: ['a'] } });
    });
    client.track('seen');
    await provider.flush();
    expect(sent).toMatchObject([
      {
        targetingKey: 'ada',
        attributes: { api: 'api', transaction: 'transaction', client: 'client', call: 'call', all: 'call' },
        details: { value: 99.5, of: { cart: ['a'] } },
      },
      { name: 'seen', attributes: { api: 'api', client: 'client', all: 'client' }, details: {} },
    ]);
    expect(sent[1]).not.toHaveProperty('targetingKey');
  });
});
