import { afterEach, expect, it, vi } from 'vitest';
import { rawServer } from '../faults/raw-server.fixture.js';
import { FEATURES } from './features.fixture.js';
import { localService, open } from './open.fixture.js';

afterEach(() => {
  vi.useRealTimers();
});

it('works as before after the fake timers are gone', async () => {
  const service = await localService({ features: FEATURES });
  const { client } = await open({ url: service.url });
  vi.useFakeTimers();
  const begun = client.getBooleanValue('on', false, { targetingKey: 'begun under them' });
  vi.useRealTimers();
  await begun;
  expect(await client.getBooleanValue('on', false, { targetingKey: 'asked after them' })).toBe(true);
});

it('asks under fake timers, installed as docs/testing.md says', async () => {
  const service = await localService({ features: FEATURES });
  const { client } = await open({ url: service.url });
  vi.useFakeTimers();
  expect(await client.getBooleanDetails('on', false)).toMatchObject({ value: true, reason: 'DEFAULT' });
});

it('ends by its deadline under fake timers', async () => {
  await using silent = await rawServer(() => undefined);
  const { client } = await open({ url: silent.url, initTimeoutMs: 1, deadlineMs: 20 });
  vi.useFakeTimers();
  expect(await client.getBooleanDetails('on', false)).toMatchObject({ value: false, errorCode: 'GENERAL' });
});

it('answers what is known under fake timers, at the age that it has', async () => {
  const service = await localService({ features: FEATURES });
  const { client } = await open({ url: service.url });
  await client.getBooleanValue('on', false);
  vi.useFakeTimers();
  vi.advanceTimersByTime(3_600_000);
  expect(await client.getBooleanDetails('on', false)).toMatchObject({ value: true, reason: 'CACHED' });
});

it('works the same if it was imported under fake timers', async () => {
  await using silent = await rawServer(() => undefined);
  vi.resetModules();
  vi.useFakeTimers();
  const { FliptProvider } = await import('../../src/index.js');
  const { systemClock } = await import('../../src/base/time/clock.js');
  vi.useRealTimers();
  const provider = new FliptProvider({ url: silent.url, deadlineMs: 20 });
  expect(await provider.resolveBooleanEvaluation('on', false, {})).toMatchObject({ errorCode: 'GENERAL' });
  const before = systemClock.now();
  await new Promise(setImmediate);
  expect(systemClock.now()).toBeGreaterThan(before);
  await provider.onClose();
});
