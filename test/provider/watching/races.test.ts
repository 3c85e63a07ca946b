import { describe, expect, it } from 'vitest';
import type { Resolution } from '../../../src/model/answer.js';
import { simulated } from './simulated.fixture.js';

const WATCH = { pollMs: 15_000, maxAgeMs: 600_000 };

/** A resolve and its value, after its promises have settled. */
async function simulation() {
  const its = await simulated(['a', 'b'], WATCH);
  const value = async (flag = 'a', user = 'ann', withinMs = 5): Promise<boolean | undefined> => {
    let resolution: Resolution | undefined;
    void Promise.resolve(its.resolve(flag, user)).then((later) => (resolution = later));
    await its.clock.advance(withinMs);
    return resolution && its.enabled(resolution);
  };
  return { ...its, value };
}

describe('a flag that is switched off and on between two polls', () => {
  it('is off only while an answer is fresh, not until the next change', async () => {
    const { clock, flags, changes, value, running } = await simulation();
    flags.set('a', false);
    expect(await value()).toBe(false);
    flags.set('a', true);
    await clock.advance(15_000);
    expect(changes).toEqual([]);
    // Stale: served once more, and refreshed.
    expect(await value()).toBe(false);
    expect(await value()).toBe(true);
    await running.close();
  });
});

describe('when the watch is lost', () => {
  it('serves confirmed answers for staleForMs more without waiting, then asks again', async () => {
    const { clock, it, value, running, logger } = await simulation();
    expect(await value()).toBe(true);
    await clock.advance(60_000);
    expect(await value()).toBe(true);
    expect(it.questions).toBe(1);
    const { evaluations } = it;

    it.isDown = true;
    await clock.advance(44_000);
    expect(await value()).toBe(true);
    expect(logger.warn).not.toHaveBeenCalledWith(expect.stringContaining('Flipt cannot be reached'));
    expect(it.evaluations).toBe(evaluations);
    await clock.advance(30_000);
    expect(logger.warn).toHaveBeenCalledWith(expect.stringContaining('Flipt cannot be reached'));
    // Only now does a call wait: it gets the last known answer after all attempts have failed.
    expect(await value('a', 'ann', 1_000)).toBe(true);
    expect(it.evaluations).toBeGreaterThan(evaluations);
    await running.close();
  });

  it('notices afterwards what has changed meanwhile, and keeps all else', async () => {
    const { clock, it, flags, value, changes, running } = await simulation();
    expect([await value('a'), await value('b')]).toEqual([true, true]);
    it.isDown = true;
    flags.set('a', false);
    await clock.advance(120_000);
    it.isDown = false;
    await clock.advance(16_000);

    expect(changes).toEqual([['a']]);
    const { questions } = it;
    expect([await value('a'), await value('b')]).toEqual([false, true]);
    expect(it.questions - questions).toBe(1);
    await running.close();
  });
});

describe('when the service answers again', () => {
  it('a change made meanwhile is noticed at once, and not by the next poll', async () => {
    const { clock, it, flags, value, changes, running } = await simulation();
    expect(await value('a')).toBe(true);
    const problems: number[] = [];
    running.listen('health-changed', ({ after }) => problems.push(after.length));
    await clock.advance(16_000);
    it.isDown = true;
    flags.set('a', false);
    expect(await value('a', 'eve', 1_000)).toBe(true);
    expect(problems).toEqual([1]);
    it.isDown = false;
    while (problems.at(-1) !== 0) await clock.advance(100);
    await clock.settle();
    expect(changes).toEqual([['a']]);
    await running.close();
  });
});

describe('credentials that the service no longer accepts', () => {
  it('are refreshed once for a poll and for calls at the same time; the poll sees what has changed', async () => {
    let token = 'first';
    const auth = { headers: () => ({ authorization: token }) };
    const { clock, flags, it, gate, changes, running, resolve, enabled } = await simulated(
      ['a', 'b'],
      WATCH,
      {},
      auth,
    );
    let refreshes = 0;
    running.listen('credentials-refreshed', () => refreshes++);
    gate.accepts = 'second';
    let refuse = (): void => undefined;
    gate.answer = new Promise((done) => (refuse = done));
    flags.set('a', false);

    const { snapshots } = it;
    const asked = [resolve('a', 'ann'), resolve('b', 'ben')];
    running.forget([]);
    await clock.advance(5);
    expect(gate.refused.map((path) => path.split('/')[1]).sort()).toEqual(['evaluate', 'internal', 'meta']);
    token = 'second';
    refuse();
    await clock.advance(5);

    expect(refreshes).toBe(1);
    expect(gate.refused).toHaveLength(3);
    expect([it.snapshots - snapshots, changes]).toEqual([1, [['a']]]);
    // The rejected calls were sent again.
    const answers = [await asked[0]!, await asked[1]!];
    expect(answers.map(enabled)).toEqual([false, true]);
    await running.close();
  });
});

describe('while the watch works', () => {
  it('notices a flag that is created, and forgets one that is deleted', async () => {
    const { clock, flags, value, changes, running } = await simulation();
    expect(await value('new')).toBeUndefined();
    await clock.advance(60_000);
    flags.set('new', true);
    flags.delete('a');
    await clock.advance(16_000);

    expect(changes).toEqual([['a', 'new']]);
    expect([await value('new'), await value('a')]).toEqual([true, undefined]);
    await running.close();
  });

  it('polls at once when something is invalidated', async () => {
    const { clock, it, flags, changes, running } = await simulation();
    const { snapshots } = it;
    flags.set('b', false);
    running.forget(['a']);
    await clock.settle();

    expect(it.snapshots - snapshots).toBe(1);
    expect(changes).toEqual([['b']]);
    await running.close();
    expect(clock.timers()).toBe(0);
  });
});
