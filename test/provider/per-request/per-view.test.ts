import { expect, it } from 'vitest';
import { openRequestView, perView } from '../../../src/provider/per-request/view.js';
import { manualClock } from '../../clock.fixture.js';
import { collectGarbage } from '../../garbage.fixture.js';

it('a view keeps the first value, even if there was none at first', () => {
  let newest: string | undefined;
  const keptBy = perView(() => newest, manualClock());
  const view = openRequestView();
  expect(keptBy(view)).toBeUndefined();
  newest = 'first';
  expect(keptBy(view)).toBe('first');
  newest = 'second';
  expect(keptBy(view)).toBe('first');
  expect(keptBy(openRequestView())).toBe('second');
});

it('a view that is over releases its value, although its request lasts', async () => {
  const clock = manualClock();
  const values: WeakRef<object>[] = [];
  const keptBy = perView(() => {
    const value = {};
    values.push(new WeakRef(value));
    return value;
  }, clock);
  const requests = Array.from({ length: 3 }, openRequestView);
  for (const request of requests) {
    keptBy(request);
    await clock.advance(30_000);
  }
  // A value stays in memory until the turn ends in which it was looked at.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(values.map((value) => value.deref() !== undefined)).toEqual([false, true, true]);
  expect(requests).toHaveLength(3);
});
