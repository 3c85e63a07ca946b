import { expect, it } from 'vitest';
import { leastMs, noTimes, usualMs, withDuration } from '../../../src/remote/batch/overload.js';

const after = (durations: readonly number[]) =>
  durations.reduce((times, ms) => withDuration(times, ms, 0), noTimes);

it('knows nothing before the first response', () => {
  expect([usualMs(noTimes, 0), leastMs(noTimes, 0)]).toEqual([undefined, 0]);
});

it('takes the median as usual, so that one slow response changes nothing', () => {
  expect(usualMs(after([100, 100, 5_000, 100]), 0)).toBe(100);
  expect(leastMs(after([100, 80, 5_000, 100]), 0)).toBe(72);
});

it('follows a service that has become slower within twenty responses', () => {
  const slower = after([...Array<number>(50).fill(10), ...Array<number>(20).fill(300)]);
  expect([usualMs(slower, 0), leastMs(slower, 0)]).toEqual([300, 270]);
});

it('forgets what was slow once nothing has ended for ten seconds', () => {
  const slow = after(Array<number>(20).fill(2_000));
  expect([usualMs(slow, 9_999), leastMs(slow, 9_999)]).toEqual([2_000, 1_800]);
  expect([usualMs(slow, 10_000), leastMs(slow, 10_000)]).toEqual([undefined, 0]);
  expect(usualMs(withDuration(slow, 10, 10_000), 10_000)).toBe(10);
});
