import { expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { chance } from '../../snapshot/chance.fixture.js';
import { memoryStore } from '../../snapshot/memory-store.fixture.js';
import { fickleFlipt, fickleLife } from './fickle.fixture.js';

const INSTANCES = 20;
/** Three intervals, and 5 % of them, because the clock of a store may differ from that of an instance. */
const LOST_MS = 48_000;

it('instances that share a store say that the watch is lost, and check Flipt one after another', async () => {
  const flipt = fickleFlipt();
  const clock = manualClock();
  const memory = memoryStore(clock);
  const lives: Awaited<ReturnType<typeof fickleLife>>[] = [];
  for (let at = 0; at < INSTANCES; at++) {
    const options = { snapshot: { store: memory.reached() }, evaluation: 'in-process' } as const;
    lives.push(await fickleLife(flipt, options, clock, chance(at)));
  }
  await clock.advance(30_000);
  flipt.state = 'down';
  const lostAt: number[] = [];
  const checkedAt: number[] = [];
  const has = (problem: 'watch-lost' | 'unreachable') =>
    lives.filter(({ problems }) => problems().includes(problem)).length;
  for (let second = 0; second < 60 + LOST_MS / 1_000; second++) {
    await clock.advance(1_000);
    lostAt.push(has('watch-lost'));
    checkedAt.push(has('unreachable'));
  }
  const most = (counts: readonly number[]) =>
    Math.max(...counts.map((count, at) => count - (counts[at - 1] ?? 0)));
  expect([lostAt.at(-1), checkedAt.at(-1)]).toEqual([INSTANCES, INSTANCES]);
  expect(most(checkedAt)).toBeLessThanOrEqual(INSTANCES / 2);
  const seconds = (counts: readonly number[]) => counts.findIndex((count) => count === INSTANCES);
  expect(seconds(checkedAt) - seconds(lostAt)).toBeLessThanOrEqual(5);
});
