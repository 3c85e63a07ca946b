import { describe, expect, it } from 'vitest';
import type { Ask, Question } from '../../../src/model/answer.js';
import type { Snapshot } from '../../../src/snapshot/snapshot.js';
import { believingSnapshot } from '../../../src/provider/snapshots/believe-snapshot.js';
import { manualClock } from '../../clock.fixture.js';
import { collectGarbage } from '../../garbage.fixture.js';
import { fickleFlipt, fickleLife } from './fickle.fixture.js';

const MINUTE = 60_000;

/** Flipt has served a snapshot, and then serves none any more, though it answers questions. Its flag "a" is gone. */
async function gone(options = {}) {
  const flipt = fickleFlipt();
  const life = await fickleLife(flipt, options);
  expect(await life.resolve('a')).toBe('on');
  flipt.state = 'unwatchable';
  flipt.unknown = ['a'];
  return { flipt, life };
}

describe('a flag of the snapshot that Flipt does not know', () => {
  it('is missing once Flipt has said so for an hour, and confirmed no snapshot', async () => {
    const { life } = await gone();
    const during = await life.passes(59 * MINUTE, MINUTE, ['a']);
    expect(new Set(during)).toEqual(new Set(['STALE on']));
    expect(await life.passes(2 * MINUTE, MINUTE, ['a'])).toContain('FLAG_NOT_FOUND');
    expect(await life.resolve('a')).toBe('FLAG_NOT_FOUND');
    expect(await life.resolve('b')).toBe('on');
  });

  it('is missing after cache.staleOnErrorForMs', async () => {
    const { life } = await gone({ cache: { staleOnErrorForMs: 5 * MINUTE } });
    expect(new Set(await life.passes(5 * MINUTE, MINUTE, ['a']))).toEqual(new Set(['STALE on']));
    expect(await life.resolve('a')).toBe('FLAG_NOT_FOUND');
  });

  it('keeps its value as long as Flipt confirms the snapshot, as one of several does that differ', async () => {
    const { flipt, life } = await gone();
    flipt.state = 'good';
    const during = await life.passes(90 * MINUTE, MINUTE, ['a']);
    expect(new Set(during)).toEqual(new Set(['STALE on']));
  });

  it('keeps its value where Flipt comes back without flags after a longer outage', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt);
    await life.resolve('a');
    flipt.state = 'down';
    await life.passes(90 * MINUTE, MINUTE);
    flipt.state = 'unknown';
    const during = await life.passes(MINUTE, 500, ['a', 'b']);
    expect(new Set(during)).toEqual(new Set(['STALE on']));
  });
});

it('a snapshot that was replaced does not stay in memory', async () => {
  const clock = manualClock();
  const question: Question = { namespace: 'default', flag: 'a', entity: 'x', attributes: {} };
  const snapshot = () => ({ flags: { keys: () => new Map([['a', 0]]) } }) as unknown as Snapshot;
  let inForce = snapshot();
  const watch = { snapshot: () => inForce, confirmedAt: () => 0, poll: () => Promise.resolve() };
  const settings = { acceptLossAfterMs: MINUTE, flagsLost: () => undefined };
  const missing: Ask = () => Promise.resolve({ kind: 'missing' });
  const snapshots = {
    opened: () => watch,
    isNotOffered: () => false,
  };
  const believing = believingSnapshot(missing, snapshots, settings, clock);
  expect(await believing.ask(question, Infinity)).toMatchObject({
    kind: 'failed',
    failure: { kind: 'flags-lost' },
  });
  const first = new WeakRef(inForce);
  inForce = snapshot();
  // A reference keeps its object until this turn ends.
  await new Promise(setImmediate);
  collectGarbage();
  expect(first.deref()).toBeUndefined();
});
