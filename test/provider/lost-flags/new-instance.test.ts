import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../../src/index.js';
import type { Lifecycle } from '../../../src/provider/lifecycle.js';
import { manualClock } from '../../clock.fixture.js';
import { eventually } from '../../eventually.fixture.js';
import { START_WAIT_MS } from '../../../src/snapshot/source.js';
import { memoryStore } from '../../snapshot/memory-store.fixture.js';
import { savingStore } from '../../snapshot/saved-text.fixture.js';
import { temporaryFolder } from '../open.fixture.js';
import { fickleFlipt, fickleLife, LOSSES, type Fickle } from './fickle.fixture.js';

/** This is 1.2 intervals, so that a poll comes within this time. */
const POLL_MS = 18_000;
const OTHER = { flags: [{ key: 'other', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] };
const MODES = ['remote', 'in-process'] as const;

let file: string;
beforeEach(async () => {
  file = join(await temporaryFolder(), 'flags.snapshot');
});

/** Leaves a file behind, like an instance of an earlier run. */
async function keep(flipt: Fickle): Promise<string> {
  const life = await fickleLife(flipt, { snapshot: { file } });
  await eventually(async () => {
    await life.clock.advance(1_000);
    return life.lifecycle.status().store?.savedAt != null;
  });
  await life.ended(life.lifecycle.close());
  return readFile(file, 'utf8');
}

const withoutDates = (text: string) => text.replace(/"confirmedAt":"[^"]*"/, '');

describe.each(MODES)('%s, an instance with a snapshot.file', (evaluation) => {
  it.each([
    // The start of this instance takes time, because Flipt does not answer.
    ['down', Infinity],
    ['failing', START_WAIT_MS],
    ['unwatchable', START_WAIT_MS],
  ] as const)('uses its flags at once if Flipt is %s at the start', async (state, withinMs) => {
    const flipt = fickleFlipt();
    await keep(flipt);
    flipt.state = state;
    const life = await fickleLife(flipt, { evaluation, snapshot: { file } });
    expect(await life.resolve('a')).toMatch(/^(STALE )?on$/);
    expect(life.clock.now()).toBeLessThan(withinMs);
  });
});

describe.each(MODES)('%s, an instance with a snapshot.file that is damaged', (evaluation) => {
  it('waits for a Flipt that is down as it does without a file', async () => {
    const flipt = fickleFlipt();
    await keep(flipt);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, -50));
    flipt.state = 'down';
    let requests = 0;
    flipt.beforeEach = () => {
      if (++requests > 5) flipt.state = 'good';
    };
    const life = await fickleLife(flipt, { evaluation, snapshot: { file } });
    expect(life.condition()).toBe('ready');
    expect(await life.resolve('a')).toBe('on');
    expect(life.lines('warn').filter((line) => line.includes('is not used'))).toHaveLength(1);
  });
});

describe.each(LOSSES)(
  '%s, an instance that starts while Flipt has lost its flags (%s)',
  (evaluation, lost) => {
    it('keeps those of snapshot.file, and the file', async () => {
      const flipt = fickleFlipt();
      const before = await keep(flipt);
      flipt.state = lost;
      const life = await fickleLife(flipt, { evaluation, snapshot: { file } });
      const answers = await life.passes(POLL_MS, 1_000, ['a', 'b']);
      expect(answers.filter((answer) => answer !== 'on' && answer !== 'STALE on')).toEqual([]);
      expect(life.condition()).toBe('stale');
      expect(life.problems()).toContain('flags-lost');
      expect(life.lifecycle.status().watch?.condition).not.toBe('not-offered');
      expect(life.lines('error')).toHaveLength(1);
      await life.ended(life.lifecycle.close());
      expect(withoutDates(await readFile(file, 'utf8'))).toBe(withoutDates(before));

      flipt.state = 'good';
      const next = await fickleLife(flipt, { evaluation, snapshot: { file } });
      expect(await next.resolve('a')).toBe('on');
      expect(next.problems()).toEqual([]);
    });

    it('keeps those of snapshot.initial', async () => {
      const flipt = fickleFlipt();
      flipt.state = lost;
      const life = await fickleLife(flipt, { evaluation, snapshot: { initial: OTHER } });
      const answers = await life.passes(2 * POLL_MS, 1_000, ['other']);
      expect(answers.filter((answer) => answer !== 'on' && answer !== 'STALE on')).toEqual([]);
      expect(life.problems()).toContain('flags-lost');
      expect(life.condition()).toBe('stale');
      life.lifecycle.forget();
      await life.clock.settle();
      expect(await life.resolve('other')).toBe('FLAG_NOT_FOUND');
    });

    it.each([
      ['before the start', 0],
      ['while its store is loaded', 50],
    ])('takes it as meant if invalidate() is called %s', async (_when, afterMs) => {
      const flipt = fickleFlipt();
      const text = await keep(flipt);
      const clock = manualClock();
      const { store } = savingStore();
      flipt.state = lost;
      const load = () =>
        new Promise<string | undefined>((resolve) => {
          clock.after(100, () => {
            resolve(text);
          });
        });
      const options = { evaluation, snapshot: { store: { ...store, load } } };
      const early = {
        afterMs,
        call: (lifecycle: Lifecycle) => {
          lifecycle.forget();
        },
      };
      const life = await fickleLife(flipt, options, clock, undefined, early);
      await clock.advance(1_000);
      expect(await life.resolve('a')).toBe('FLAG_NOT_FOUND');
      expect(life.problems()).toEqual([]);
    });

    it('keeps those of a store that answers late', async () => {
      const flipt = fickleFlipt();
      const text = await keep(flipt);
      const clock = manualClock();
      const { store, saved } = savingStore();
      const load = () =>
        new Promise<string | undefined>((resolve) =>
          clock.after(1_000, () => {
            resolve(text);
          }),
        );
      flipt.state = lost;
      const starting = fickleLife(flipt, { evaluation, snapshot: { store: { ...store, load } } }, clock);
      let isStarted = false;
      void starting.then(() => (isStarted = true));
      await eventually(async () => {
        await clock.advance(100);
        return isStarted;
      });
      const life = await starting;
      await clock.advance(2_000);
      expect(await life.resolve('a')).toMatch(/^(STALE )?on$/);
      await life.passes(3 * POLL_MS, 1_000, ['a']);
      expect(await life.resolve('a')).toBe('STALE on');
      expect(life.problems()).toContain('flags-lost');
      await life.ended(life.lifecycle.close());
      expect(saved).toEqual([]);
    });

    it('does not replace what a store holds that cannot be loaded', async () => {
      const flipt = fickleFlipt();
      flipt.state = lost;
      const { store, saved } = savingStore();
      const load = () => Promise.reject(new Error('not now'));
      const life = await fickleLife(flipt, { evaluation, snapshot: { store: { ...store, load } } });
      await life.passes(2 * POLL_MS);
      await life.ended(life.lifecycle.close());
      expect(saved).toEqual([]);
    });

    it('keeps those of a store that many instances share, and the store', async () => {
      const flipt = fickleFlipt();
      const clock = manualClock();
      const memory = memoryStore(clock);
      const options = (): FliptProviderOptions => ({ evaluation, snapshot: { store: memory.reached() } });
      const first = await fickleLife(flipt, options(), clock);
      const second = await fickleLife(flipt, options(), clock);
      await clock.advance(POLL_MS);
      const { text } = memory.held;
      flipt.state = lost;
      const answers: string[] = [];
      for (let interval = 0; interval < 10; interval++) {
        for (const life of [first, second]) answers.push(...(await life.passes(POLL_MS, 3_000, ['a'])));
      }
      expect(memory.held.text).toBe(text);
      const third = await fickleLife(flipt, options(), clock);
      answers.push(...(await third.passes(5 * POLL_MS, 3_000, ['a', 'b'])));
      expect(answers.filter((answer) => answer !== 'on' && answer !== 'STALE on')).toEqual([]);
      for (const life of [first, second, third]) expect(life.condition()).toBe('stale');
      flipt.state = 'good';
      await third.passes(3 * POLL_MS);
      for (const life of [first, second, third]) {
        expect(life.problems()).toEqual([]);
        expect(await life.resolve('a')).toBe('on');
      }
    });
  },
);

describe.each(MODES)('%s, an instance', (evaluation) => {
  it('does not take an empty snapshot from another instance, which never had flags', async () => {
    const flipt = fickleFlipt();
    const clock = manualClock();
    const memory = memoryStore(clock);
    const options = (): FliptProviderOptions => ({ evaluation, snapshot: { store: memory.reached() } });
    const first = await fickleLife(flipt, options(), clock);
    await clock.advance(POLL_MS);
    flipt.state = 'empty';
    // The store has lost everything, and its lease.
    Object.assign(memory.held, { lease: undefined, heartbeat: undefined, text: undefined });
    const second = await fickleLife(flipt, options(), clock);
    const answers = await first.passes(10 * POLL_MS, 3_000, ['a']);
    expect(answers.filter((answer) => answer !== 'on' && answer !== 'STALE on')).toEqual([]);
    expect(await second.resolve('a')).toBe('FLAG_NOT_FOUND');
    expect(first.problems()).toContain('flags-lost');
    flipt.state = 'good';
    await first.passes(3 * POLL_MS);
    for (const life of [first, second]) {
      expect(life.problems()).toEqual([]);
      expect(await life.resolve('a')).toBe('on');
    }
  });

  it('prefers snapshot.initial to a saved snapshot without flags', async () => {
    const flipt = fickleFlipt();
    await keep(flipt);
    const meant = await fickleLife(flipt, { evaluation, snapshot: { file } });
    flipt.state = 'empty';
    meant.lifecycle.forget();
    await meant.clock.settle();
    await meant.ended(meant.lifecycle.close());
    await eventually(async () => {
      expect(await readFile(file, 'utf8')).toContain('"flags":[]');
    });
    await copyFile(file, `${file}.empty`);

    // Without initial, what is meant stays so.
    const again = await fickleLife(flipt, { evaluation, snapshot: { file: `${file}.empty` } });
    await again.passes(POLL_MS);
    expect(again.problems()).toEqual([]);
    const life = await fickleLife(flipt, { evaluation, snapshot: { file, initial: OTHER } });
    await life.passes(POLL_MS);
    expect(await life.resolve('other')).toMatch(/^(STALE )?on$/);
  });
});
