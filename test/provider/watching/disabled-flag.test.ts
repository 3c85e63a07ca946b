import { expect, it } from 'vitest';
import { fickleFlipt, fickleLife } from '../lost-flags/fickle.fixture.js';

it('a boolean flag that a newer Flipt calls disabled is asked for once, as long as it does not change', async () => {
  const flipt = fickleFlipt();
  flipt.off = ['a'];
  const life = await fickleLife(flipt);
  for (let minute = 0; minute < 5; minute++) {
    expect(await life.resolve('a', 'ann')).toBe('off');
    await life.clock.advance(60_000);
  }
  expect(flipt.asked).toEqual(['a']);
});
