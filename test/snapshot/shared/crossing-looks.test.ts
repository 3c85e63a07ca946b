import { describe, expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { chance, countingService, instance } from './fleet.fixture.js';
import { memoryStore } from './memory-store.fixture.js';

const POLL_MS = 2_000;

/** A follower in the midst of loading the text of state 2, which takes so long. */
async function loading(takesMs: number) {
  const clock = manualClock();
  const service = countingService(clock);
  const store = memoryStore(clock);
  const slow = { ms: 0 };
  const reached = store.reached();
  const holder = await instance(service.send, reached, clock, chance(1), POLL_MS);
  await clock.advance(300);
  const load: typeof reached.load = async (place) => {
    const text = await reached.load(place);
    if (slow.ms > 0) await new Promise<void>((resolve) => clock.after(slow.ms, resolve, 'background'));
    return text;
  };
  const follower = await instance(service.send, { ...reached, load }, clock, chance(2), POLL_MS);
  await clock.advance(5 * POLL_MS);
  slow.ms = takesMs;
  service.state = 2;
  const { length } = store.calls;
  while (!store.calls.slice(length).includes('load')) await clock.advance(50);
  return { clock, service, holder, follower };
}

describe('a text that is still loading', () => {
  it('does not replace what the service has told a user meanwhile', async () => {
    const { clock, service, holder, follower } = await loading(4_500);
    service.state = 3;
    const asked = follower.snapshots.watch.poll('user');
    await clock.advance(2_100);
    expect(follower.state()).toBe(3);
    await asked;
    await clock.advance(20_000);
    expect(follower.states).toEqual([1, 3]);
    await Promise.all([holder.close(), follower.close()]);
  });

  it('does not keep the process alive, before and after the close', async () => {
    const { clock, holder, follower } = await loading(3_600_000);
    expect(clock.timers('awaited')).toBe(0);
    await Promise.all([holder.close(), follower.close()]);
    await clock.settle();
    expect(clock.timers('awaited')).toBe(0);
  });
});
