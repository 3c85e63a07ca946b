import { expect, it } from 'vitest';
import { inTime } from '../../../src/base/time/in-time.js';
import { manualClock } from '../../clock.fixture.js';

it('takes the result of a thenable whose `then` returns nothing', async () => {
  const thenable = {
    then(resolve: (result: string) => void) {
      resolve('result');
    },
  };
  const coming = thenable as PromiseLike<string>;
  expect(await inTime(coming, 1_000, manualClock(), () => new Error('late'))).toBe('result');
});
