import { ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import { DIGEST, fickleFlipt, fickleLife, LOSSES } from './fickle.fixture.js';

/** This is 1.2 intervals, so that a poll comes within this time. */
const POLL_MS = 18_000;
const ANN = { targetingKey: 'ann' };

describe('a Flipt that has lost its flags', () => {
  it.each(LOSSES)('%s, (%s) is no change for browsers, and their flags stay', async (evaluation, lost) => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    const { lifecycle, emitter, ended } = life;
    let told = 0;
    emitter.addHandler(ProviderEvents.ConfigurationChanged, () => (told += 1));
    flipt.state = lost;
    for (let interval = 0; interval < 5; interval++) {
      await life.passes(POLL_MS);
      const all = await ended(lifecycle.open().evaluateAll(ANN, undefined));
      expect(Object.keys(all)).toEqual(['a', 'b']);
      const each = await ended(lifecycle.open().evaluateEach(ANN, ['a', 'b']));
      expect([...each.values()]).toMatchObject([{ value: true }, { value: true }]);
    }
    expect(told).toBe(0);
    // A change that is one is told.
    Object.assign(flipt, { state: 'good', flags: ['a'] });
    await life.passes(POLL_MS);
    expect(told).toBe(1);
  });

  it.each(['remote', 'in-process'] as const)(
    '%s, is seen at once where the stream announces it, and changes nothing',
    async (evaluation) => {
      const flipt = fickleFlipt();
      const life = await fickleLife(flipt, { evaluation, watch: { stream: true } });
      expect(await life.resolve('a')).toBe('on');
      flipt.state = 'empty-tagged';
      flipt.announce(DIGEST);
      await life.passes(2_000);
      expect(life.problems()).toEqual(['flags-lost']);
      const before = flipt.polls;
      const answers = await life.passes(60_000, 1_000, ['a', 'b']);
      expect(answers.filter((answer) => answer !== 'on' && answer !== 'STALE on')).toEqual([]);
      // It is polled for some time, in case the announcement came early.
      expect(flipt.polls - before).toBeLessThan(25);
      flipt.state = 'good';
      await life.passes(POLL_MS);
      expect(life.problems()).toEqual([]);
    },
  );

  it.each(LOSSES.slice(0, 2))(
    '%s, in one of two replicas (%s) gives every user a value, and nobody another one',
    async (evaluation, lost) => {
      const flipt = fickleFlipt();
      const life = await fickleLife(flipt, { evaluation });
      let request = 0;
      flipt.beforeEach = () => {
        flipt.state = request++ % 2 === 0 ? lost : 'good';
      };
      const answers = await life.passes(20 * POLL_MS, 1_000, ['a', 'b']);
      expect(answers.filter((answer) => answer !== 'on' && answer !== 'STALE on')).toEqual([]);
      expect(life.events).not.toContain('PROVIDER_CONFIGURATION_CHANGED');
    },
  );
});

describe('NOT_FOUND for a flag of the snapshot in force', () => {
  it('brings one poll for each version of the snapshot', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt);
    flipt.unknown = ['a', 'b'];
    for (const flags of [
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]) {
      flipt.flags = flags;
      await life.passes(POLL_MS);
      const before = flipt.polls;
      for (let user = 0; user < 50; user++) {
        expect(await life.resolve('a')).toBe('STALE on');
        expect(await life.resolve('b')).toBe('STALE on');
      }
      expect(flipt.polls).toBe(before + 1);
    }
    expect(life.problems()).toEqual([]);
  });

  it('is an answer once a served snapshot lacks the flag, which is seen at once', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt);
    flipt.flags = ['b'];
    expect(await life.resolve('a')).toBe('STALE on');
    await life.clock.settle();
    expect(await life.resolve('a')).toBe('FLAG_NOT_FOUND');
    expect(await life.resolve('b')).toBe('on');
    expect(life.events).toEqual(['PROVIDER_CONFIGURATION_CHANGED']);
  });

  it('is an answer where nothing is watched, and where Flipt offers no snapshots', async () => {
    const flipt = fickleFlipt();
    const initial = { flags: [{ key: 'gone', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] };
    const unwatched = await fickleLife(flipt, { watch: false, snapshot: { initial } });
    expect(await unwatched.resolve('gone')).toBe('FLAG_NOT_FOUND');
    flipt.state = 'without-snapshots';
    const without = await fickleLife(flipt, { snapshot: { initial } });
    await without.passes(POLL_MS);
    expect(await without.resolve('gone')).toBe('FLAG_NOT_FOUND');
  });

  it('is an answer for a flag that no snapshot has', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt);
    const before = flipt.polls;
    expect(await life.resolve('c')).toBe('FLAG_NOT_FOUND');
    expect(flipt.polls).toBe(before);
  });
});
