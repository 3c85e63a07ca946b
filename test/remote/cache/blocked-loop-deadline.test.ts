import { expect, it } from 'vitest';
import { fromService, on, setUp } from './layered.fixture.js';

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
