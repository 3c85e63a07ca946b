import { expect, it } from 'vitest';
import { lineOf, tracked } from './tracked.fixture.js';

const HOUR = 3_600_000;
const USERS = 10_000;
const MOST_REMEMBERED = 10_000;

/** Numbers from 0 to 1, the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** As simple as possible: a Map keeps the order of insertion, so its first entry is the least recently used. */
function model() {
  const last = new Map<string, number>();
  return (triple: string, now: number): boolean => {
    const seenAt = last.get(triple);
    const isNew = seenAt === undefined || now - seenAt >= HOUR;
    last.delete(triple);
    last.set(triple, isNew ? now : seenAt);
    const [oldest] = last.keys();
    if (last.size > MOST_REMEMBERED && oldest !== undefined) last.delete(oldest);
    return isNew;
  };
}

it('300,000 resolves of 10,000 users with random changes: each expected exposure once, in order, and no other', async () => {
  const random = seeded(1);
  const { close, clock, received, expose, reported } = tracked();
  const isExpected = model();
  const expected: string[] = [];
  let variant = 'on';
  for (let n = 0; n < 300_000; n++) {
    // Some users come more often than others.
    const user = `user-${Math.floor(random() ** 2 * USERS)}`;
    if (random() < 0.000_03) variant = variant === 'on' ? 'off' : 'on';
    const triple = `${user} flag ${variant}`;
    if (isExpected(triple, clock.now())) expected.push(triple);
    expose(user, 'flag', variant);
    if (n % 100 === 99) await clock.settle();
    if (n % 30_000 === 29_999) await clock.advance(HOUR / 4);
  }
  await close();
  expect(expected.length).toBeGreaterThan(3 * USERS);
  expect(received.flat().map(lineOf)).toEqual(expected);
  expect(reported).toEqual({ sent: expected.length, lost: 0 });
});
