import { expect, it } from 'vitest';
import { evaluatingHere } from '../../src/provider/evaluate/here.js';
import { parseSnapshot } from '../snapshot/bodies.fixture.js';
import { systemClock, type Clock } from '../../src/base/time/clock.js';
import { runtimeOf } from '../runtime.fixture.js';
import { flagJson } from '../snapshot/fetched.fixture.js';

const USERS = JSON.stringify(['user-1', 'user-2']);
const constraint = {
  type: 'STRING_CONSTRAINT_COMPARISON_TYPE',
  property: 'user',
  operator: 'isoneof',
  value: USERS,
};
const KEYS = Array.from({ length: 100 }, (_, at) => `flag-${at}`);
const rollouts = (key: string) => [
  {
    type: 'SEGMENT_ROLLOUT_TYPE',
    segment: { value: true, segments: [{ key: `of-${key}`, constraints: [constraint] }] },
  },
];
const BODY = { flags: KEYS.map((key) => ({ ...flagJson(key, false), rollouts: rollouts(key) })) };

/** Turns of the event loop that evaluating all flags takes, twice. */
async function turnsOf(): Promise<readonly number[]> {
  let turns = 0;
  let looks = 0;
  const clock: Clock = {
    ...systemClock,
    // Each flag takes a millisecond.
    now: () => ++looks,
    endOfTurn(run) {
      turns++;
      setImmediate(run);
    },
  };
  const body = Buffer.from(JSON.stringify(BODY));
  const snapshot = await parseSnapshot(body, 'default', clock);
  const here = evaluatingHere(
    {
      snapshot: () => snapshot,
      poller: { confirmedAt: () => 0, used: () => undefined, ageMs: () => 0, lostForMs: () => -1 },
      missing: () => expect.unreachable(),
    },
    undefined,
    () => true,
    { attributes: undefined, targetingKey: 'optional' },
    () => undefined,
    runtimeOf(clock),
  );
  const all = async () => {
    turns = 0;
    const resolutions = await here.resolveAll({ targetingKey: 'ada' }, undefined);
    expect(resolutions).toHaveProperty('size', KEYS.length);
    return turns;
  };
  return [await all(), await all()];
}

it('flags are evaluated few in a turn, also if they must first be read and compiled', async () => {
  for (const turns of await turnsOf()) expect(turns).toBeGreaterThan(KEYS.length / 4);
});
