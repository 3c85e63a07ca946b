import { expect, it, vi } from 'vitest';
import { flipt, localService, recordingLogger, register } from './open.fixture.js';

vi.mock('../../src/provider/start/tracking-code.js', () => {
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
