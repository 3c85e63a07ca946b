import { expect, it } from 'vitest';
import { eventually } from '../eventually.fixture.js';
import { good } from '../provider/changing.fixture.js';
import { serving } from '../provider/open.fixture.js';
import { failing, living, withSnapshot } from '../provider/status/living.fixture.js';

const HOUR_MS = 3_600_000;

it('after a start without the service, the snapshot is fetched as soon as the service answers', async () => {
  let isUp = false;
  const server = await serving(
    (request, response) => (isUp ? good : failing)(request, response),
    (request, response) => (isUp ? withSnapshot(['a', 'b', 'c']) : failing)(request, response),
  );
  const initial = { flags: [{ key: 'a', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] };
  const { lifecycle, ended, turnUntil, clock } = living({
    url: server.url,
    evaluation: 'in-process',
    watch: { pollMs: HOUR_MS },
    snapshot: { initial },
  });
  await ended(lifecycle.start());
  await clock.settle();
  expect(lifecycle.status()).toMatchObject({ condition: 'stale', watch: { flags: 1 } });
  isUp = true;
  await turnUntil(100, () => lifecycle.status().condition === 'ready');
  await eventually(async () => {
    await clock.settle();
    expect(lifecycle.status()).toMatchObject({ condition: 'ready', watch: { flags: 3 } });
  });
});
