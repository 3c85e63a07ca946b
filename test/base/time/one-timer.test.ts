import { expect, it, vi } from 'vitest';
import { oneTimer } from '../../../src/base/time/clock.js';
import { manualClock } from '../../clock.fixture.js';

it('calls only what it was set for last', async () => {
  const clock = manualClock();
  const timer = oneTimer(clock);
  const [first, second] = [vi.fn(), vi.fn()];
  timer.set(10, first);
  timer.set(20, second);
  await clock.advance(20);
  expect([first.mock.calls.length, second.mock.calls.length, clock.timers()]).toEqual([0, 1, 0]);
});

it('stays as it is set, until it has ended or was stopped', async () => {
  const clock = manualClock();
  const timer = oneTimer(clock);
  const run = vi.fn();
  timer.ensure(10, run);
  timer.ensure(5, run);
  await clock.advance(9);
  expect(run).not.toHaveBeenCalled();
  await clock.advance(1);
  timer.ensure(5, run);
  timer.stop();
  timer.ensure(7, run);
  await clock.advance(7);
  expect([run.mock.calls.length, clock.timers()]).toEqual([2, 0]);
});
