import { expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { chance, countingService, instance } from './fleet.fixture.js';
import { memoryStore } from './memory-store.fixture.js';

const POLL_MS = 2_000;

it('a text that arrives after the service has answered a user does not replace what the service said', async () => {
  const clock = manualClock();
  const service = countingService(clock);
  const store = memoryStore(clock);
  const slow = { ms: 0 };
  const reached = store.reached();
  const holder = await instance(service.send, reached, clock, chance(1), POLL_MS);
  await clock.advance(300);
  const load: typeof reached.load = async (place) => {
    const text = await reached.load(place);
    if (slow.ms > 0) await new Promise<void>((resolve) => clock.after(slow.ms, resolve));
    return text;
  };
  const follower = await instance(service.send, { ...reached, load }, clock, chance(2), POLL_MS);
  await clock.advance(5 * POLL_MS);

  slow.ms = 4_500;
  service.state = 2;
  const { length } = store.calls;
  while (!store.calls.slice(length).includes('load')) await clock.advance(50);
  service.state = 3;
  const asked = follower.snapshots.poll('user');
  await clock.advance(2_100);
  expect(follower.state()).toBe(3);
  await asked;
  await clock.advance(20_000);
  expect(follower.states).toEqual([1, 3]);
  const closing = Promise.all([holder, follower].map(({ snapshots }) => snapshots.close()));
  await clock.advance(10_000);
  await closing;
});
