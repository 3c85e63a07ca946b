import { expect, it } from 'vitest';
import { tracked } from './tracked.fixture.js';

it('a flush tries a failing sink again and again, for 2 s, whatever its delay', async () => {
  const calls: number[] = [];
  const { tracking, expose, clock } = tracked({
    send: () => (calls.push(clock.now()), Promise.reject(new Error('no'))),
  });
  expose('ada');
  await clock.advance(5_000);
  const flushed = tracking.flush();
  await clock.advance(2_000);
  await flushed;
  expect(calls).toEqual([5_000, 5_000, 5_100, 5_300, 5_700, 6_500]);
  // After that, only the growing delay counts.
  await clock.advance(10_000);
  expect(calls).toHaveLength(6);
});

it('a flush that has ended leaves no timer', async () => {
  const { expose, close, clock } = tracked({ send: () => Promise.reject(new Error('no')) });
  expose('ada');
  const closed = close();
  await clock.advance(2_000);
  await closed;
  expect(clock.timers()).toBe(0);
});

it.each(['flush', 'close'] as const)('nothing is lost if one call of a %s fails', async (end) => {
  let calls = 0;
  const { tracking, close, expose, clock } = tracked({
    send: () => (calls++ === 0 ? Promise.reject(new Error('no')) : undefined),
  });
  expose('ada');
  const ended = end === 'flush' ? tracking.flush() : close();
  await clock.advance(100);
  await ended;
  expect([calls, tracking.read().waiting]).toEqual([2, 0]);
});

it('a flush whose time a hanging call has used up sends nothing after it', async () => {
  let calls = 0;
  const { tracking, expose, clock } = tracked({ send: () => (calls++, new Promise(() => {})) });
  expose('ada');
  await clock.advance(5_000);
  const flushed = tracking.flush();
  await clock.advance(2_000);
  await flushed;
  // The call is given up. The next one has to wait, as after any failure.
  await clock.advance(8_000);
  expect([calls, tracking.read().isFailing]).toEqual([1, true]);
  await clock.advance(1_000);
  expect(calls).toBe(2);
});
