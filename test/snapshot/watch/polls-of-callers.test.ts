import { describe, expect, it, vi } from 'vitest';
import type { FetchSnapshot } from '../../../src/snapshot/fetch-snapshot.js';
import type { Asker } from '../../../src/snapshot/tag-trust.js';
import { openWatch } from '../../../src/snapshot/watch/poll-watch.js';
import { withoutBackground } from '../../../src/time/clock.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { reply } from '../fetched.fixture.js';
import { PATIENCE_MS, POLL_MS, watching } from './watched.fixture.js';

describe('without a background, polls', () => {
  it('wait as long as Retry-After asks for, even if one was asked for', async () => {
    const clock = withoutBackground(manualClock());
    const busy = reply(429, '', { 'retry-after': '40' });
    const { watch, requests } = watching(() => Promise.resolve(busy), clock);
    await watch.refresh();
    await watch.poll('user');
    vi.spyOn(clock, 'now').mockReturnValue(39_999);
    await watch.refresh();
    expect(requests).toHaveLength(1);
    vi.spyOn(clock, 'now').mockReturnValue(40_000);
    await watch.refresh();
    expect(requests).toHaveLength(2);
  });

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
