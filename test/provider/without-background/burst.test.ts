import { expect, it } from 'vitest';
import { flipt, localService } from '../open.fixture.js';

it('without a background, 2,000 resolves at once of a new provider are all right, over real connections', async () => {
  const features = { flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] } as const;
  const service = await localService({ features });
  const provider = flipt({ url: service.url, watch: { background: false }, deadlineMs: 30_000 });
  await provider.initialize();
  const users = Array.from({ length: 2_000 }, (_, at) => ({ targetingKey: `user-${at}` }));
  const all = await Promise.all(users.map((user) => provider.resolveBooleanEvaluation('on', false, user)));
  expect(all.filter(({ value, errorCode }) => value && errorCode === undefined)).toHaveLength(2_000);
  // The poll, and beside it the question for the version of Flipt.
  expect(provider.getStatus().requests.sent).toBe(2);
  await provider.onClose();
});
