import { metrics as api } from '@opentelemetry/api';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FliptProvider } from '../../../src/index.js';
import * as entry from '../../../src/adapters/opentelemetry/index.js';
import { good } from '../../provider/changing.fixture.js';
import { flipt, serving } from '../../provider/open.fixture.js';
import { scraped, type Scraped } from './scraped.fixture.js';
import { eventually } from '../../eventually.fixture.js';

const { observeProvider } = entry;
let metrics: Scraped | undefined;
afterEach(async () => {
  api.disable();
  await metrics?.close();
});

describe('observeProvider', () => {
  it('is all that the entry exports', () => {
    expect(Object.keys(entry)).toEqual(['observeProvider']);
  });

  it('uses the global MeterProvider if none is given', async () => {
    metrics = scraped();
    api.setGlobalMeterProvider(metrics.meterProvider);
    const server = await serving(good);
    const provider = flipt({ url: server.url, watch: false });
    const stop = observeProvider(provider);
    await provider.initialize();
    await provider.resolveStringEvaluation('a', '', {});
    expect(await metrics.sum('openfeature_flipt_requests_total')).toBe(2);
    // Each waited for Flipt, and the real clock shows it.
    expect(await metrics.sum('openfeature_flipt_resolve_duration_count')).toBe(1);
    expect(await metrics.sum('openfeature_flipt_batch_size_sum')).toBe(1);
    stop();
    await provider.onClose();
  });

  it('goes on when the provider is closed and starts again', async () => {
    metrics = scraped();
    const server = await serving(good);
    const provider = flipt({ url: server.url, watch: false });
    const stop = observeProvider(provider, { meterProvider: metrics.meterProvider });
    await provider.initialize();
    await provider.onClose();
    expect(await metrics.sum('openfeature_flipt_condition', { openfeature_flipt_state: 'closed' })).toBe(1);
    await provider.initialize();
    await provider.resolveStringEvaluation('a', '', {});
    expect(await metrics.sum('openfeature_flipt_requests_total')).toBe(3);
    stop();
    await provider.onClose();
  });

  it('distinguishes two providers of one namespace by attributes of their own', async () => {
    metrics = scraped();
    const server = await serving(good);
    const providers = [
      flipt({ url: server.url, watch: false }),
      flipt({ url: server.url, watch: false }),
    ] as const;
    const { meterProvider } = metrics;
    const stops = providers.map((provider, at) =>
      observeProvider(provider, { meterProvider, attributes: { domain: `domain-${at}` } }),
    );
    await providers[0].resolveStringEvaluation('a', '', {});
    for (const flag of ['a', 'b', 'c', 'c', 'c']) await providers[1].resolveStringEvaluation(flag, '', {});
    expect(await metrics.sum('openfeature_flipt_requests_total', { domain: 'domain-0' })).toBe(1);
    expect(await metrics.sum('openfeature_flipt_requests_total', { domain: 'domain-1' })).toBe(3);
    expect(await metrics.sum('openfeature_flipt_batch_size_sum', { domain: 'domain-1' })).toBe(3);
    for (const stop of stops) stop();
    await Promise.all(providers.map((provider) => provider.onClose()));
  });

  it('holds nothing once it was stopped', async () => {
    metrics = scraped();
    const { meterProvider } = metrics;
    const observed = async () => {
      const provider = flipt({ watch: false });
      const handed = {
        getStatus: () => provider.getStatus(),
        onEvent: () => () => undefined,
      };
      const stop = observeProvider(handed, { meterProvider });
      await metrics?.text();
      stop();
      await provider.onClose();
      return new WeakRef(handed);
    };
    const held = await observed();
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    await eventually(() => {
      collectGarbage();
      // Not the object itself, because a failed assertion would keep it in memory.
      expect(held.deref() === undefined).toBe(true);
    });
    // The SDK continues to collect.
    expect(await metrics.text()).toBeDefined();
  });

  it.each([
    [undefined, {}, 'provider: expected a FliptProvider, got undefined'],
    [{ resolveBooleanEvaluation: vi.fn() }, {}, 'provider: expected a FliptProvider, got an object'],
    [new FliptProvider(), { meterProvider: {} }, 'meterProvider: expected a MeterProvider of OpenTelemetry'],
    [new FliptProvider(), { perFlag: 'some' }, `perFlag: expected a list of flag keys, got a string`],
    [new FliptProvider(), { perFlag: [5] }, 'perFlag.0: expected a list of flag keys, got 5'],
    [new FliptProvider(), { perflag: ['a'] }, 'perflag: unknown option; did you mean "perFlag"?'],
    [
      new FliptProvider(),
      { attributes: { a: {} } },
      'attributes.a: expected a string, a number or a boolean',
    ],
    [new FliptProvider(), { attributes: 'a' }, 'attributes: expected an object of attributes, got a string'],
    [new FliptProvider(), null, 'options: expected an object of options, got null'],
  ])('checks what it is given: %#', (provider, options, message) => {
    const observe = observeProvider as (...given: readonly unknown[]) => unknown;
    expect(() => observe(provider, options)).toThrow(TypeError);
    expect(() => observe(provider, options)).toThrow(`observeProvider: ${message}`);
  });
});
