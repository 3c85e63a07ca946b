import { expect, it } from 'vitest';
import { openRequestView, perView } from '../../../src/provider/per-request/view.js';
import { manualClock } from '../../clock.fixture.js';

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
