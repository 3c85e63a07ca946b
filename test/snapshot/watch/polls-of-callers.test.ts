import { describe, expect, it } from 'vitest';
import type { Asker, FetchSnapshot } from '../../../src/snapshot/fetch-snapshot.js';
import { openWatch } from '../../../src/snapshot/watch/poll-watch.js';
import { withoutBackground } from '../../../src/time/clock.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { PATIENCE_MS, POLL_MS } from './watched.fixture.js';

describe('without a background, polls', () => {
  it('are due from the start, whoever asks for more, until the close', async () => {
    const clock = withoutBackground(manualClock());
    const fetch: FetchSnapshot = () => Promise.resolve({ kind: 'no-news' });
    const watch = openWatch({ fetch, pollMs: POLL_MS, patienceMs: PATIENCE_MS }, runtimeOf(clock));
    expect(watch.nextPollAt()).toBe(clock.date());
    await watch.refresh();
    const next = clock.date() + POLL_MS;
    expect(watch.nextPollAt()).toBe(next);
    await watch.poll('user');
    expect(watch.nextPollAt()).toBe(next);
    watch.close();
    expect(watch.nextPollAt()).toBeUndefined();
  });

  it('ask for a user only if a user’s poll is waiting', async () => {
    const clock = withoutBackground(manualClock());
    const askers: (Asker | undefined)[] = [];
    const fetch: FetchSnapshot = (_, asker) => {
      askers.push(asker);
      return Promise.resolve({ kind: 'no-news' });
    };
    const watch = openWatch({ fetch, pollMs: POLL_MS, patienceMs: PATIENCE_MS }, runtimeOf(clock));
    await watch.refresh();
    await watch.poll();
    await watch.refresh();
    await Promise.all([watch.poll(), watch.poll('user'), watch.poll()]);
    await watch.refresh();
    await watch.refresh();
    expect(askers).toEqual(['schedule', 'schedule', 'user']);
    watch.close();
  });
});
