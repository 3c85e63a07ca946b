import { expect, it, vi } from 'vitest';
import type { TrackingEvent } from '../../src/index.js';
import { providerSettings } from '../../src/options/settings.js';
import { lazyTracking } from '../../src/provider/lazy-tracking.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { flipt, localService, recordingLogger, register } from './open.fixture.js';

const TRACKING = '../../src/tracking/tracking.js';
vi.mock('../../src/tracking/tracking.js', () => {
  throw new Error('the file is gone');
});

it('counts every event as lost if the code of tracking cannot be loaded', async () => {
  const service = await localService({ features: { flags: [] } });
  const logger = recordingLogger();
  const provider = flipt({ url: service.url, logger, tracking: { send: () => undefined } });
  const { client, registered } = register(provider);
  await registered;
  client.track('early', { targetingKey: 'ada' });
  await provider.flush();
  for (let n = 0; n < 5; n++) client.track(`event-${n}`, { targetingKey: 'ada' });
  await provider.flush();
  expect(provider.getStatus().tracking).toMatchObject({ waiting: 0, lost: 6 });
  expect(logger.error).toHaveBeenCalledTimes(1);
});

it('loads it again with an event a minute later', async () => {
  const sent: string[] = [];
  const send = (events: readonly TrackingEvent[]) => {
    for (const event of events) if (event.kind === 'track') sent.push(event.name);
  };
  const logger = recordingLogger();
  const settings = providerSettings({ tracking: { send }, logger }, {});
  if (settings.tracking === undefined) throw new Error('it is set');
  const clock = manualClock();
  const tracking = lazyTracking(settings.tracking, settings, runtimeOf(clock));
  const track = async (name: string) => {
    tracking.track(name, { targetingKey: 'ada' }, {});
    await tracking.flush();
  };
  await track('first');
  vi.doUnmock(TRACKING);
  vi.resetModules();
  await track('too early');
  await clock.advance(60_000);
  await track('in time');
  expect(sent).toEqual(['in time']);
  expect(logger.error).toHaveBeenCalledTimes(1);
  tracking.close();
});
