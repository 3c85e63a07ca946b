import { describe, expect, it } from 'vitest';
import { fromCache, fromService, on, setUp } from './layered.fixture.js';

describe('an answer', () => {
  it('grows older while the machine sleeps', async () => {
    const { clock, resolve, learn, layer } = setUp();
    await learn(on);
    clock.sleep(999);
    expect(resolve()).toEqual(fromCache(on, 999));
    clock.sleep(1);
    expect(layer.fresh('flag')).toBeUndefined();
    clock.sleep(3_600_000);
    expect(layer.knowsAnything()).toBe(false);
  });

  it('does not grow younger when the date is set back', async () => {
    const { clock, resolve, learn } = setUp();
    await learn(on);
    await clock.advance(500);
    clock.sleep(-3_600_000);
    expect(resolve()).toEqual(fromCache(on, 500));
  });
});

it('an answer that waits in the socket of a blocked event loop comes before the deadline', async () => {
  const turns: (() => void)[] = [];
  const { clock, asked, resolve } = setUp({}, { endOfTurn: (run) => turns.push(run) });
  const resolved = resolve();
  clock.block(700);
  await clock.advance(0);
  expect(clock.timers()).toBe(0);
  asked[0]?.answer(on);
  await clock.settle();
  for (const run of turns) run();
  expect(await resolved).toEqual(fromService(on));
});
