import { expect, it } from 'vitest';
import { leastMs, noTimes, usualMs, withDuration } from '../../src/batch/response-times.js';

const after = (durations: readonly number[]) => durations.reduce(withDuration, noTimes);

it('knows nothing before the first response', () => {
  expect([usualMs(noTimes), leastMs(noTimes)]).toEqual([undefined, 0]);
});

it('takes the median as usual, so that one slow response changes nothing', () => {
  expect(usualMs(after([100, 100, 5_000, 100]))).toBe(100);
  expect(leastMs(after([100, 80, 5_000, 100]))).toBe(72);
});

it('follows a service that has become slower within twenty responses', () => {
  const slower = after([...Array<number>(50).fill(10), ...Array<number>(20).fill(300)]);
  expect([usualMs(slower), leastMs(slower)]).toEqual([300, 270]);
});
