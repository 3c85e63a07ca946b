import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../../src/index.js';
import { evaluateAll } from '../../../src/provider/evaluate/evaluate-many.js';
import { START_WAIT_MS } from '../../../src/snapshot/snapshot-source.js';
import { LONG_BYTES } from '../../../src/snapshot/stores/file-store.js';
import { manualClock } from '../../clock.fixture.js';
import { encodeKept } from '../../snapshot/kept-text.fixture.js';
import { memoryStore } from '../../snapshot/shared/memory-store.fixture.js';
import { temporaryFolder } from '../open.fixture.js';
import { fickleFlipt, fickleLife, WITHOUT_FLAGS, type Fickle } from './fickle.fixture.js';

const MODES = ['remote', 'in-process'] as const;
/** These numbers make the first poll of remote mode come at once, while the flags are unread, or much later. */
const RANDOM = [0, 0.01, 0.5] as const;

/** The text of a saved snapshot of the flags `a` and `b`, which is so long that its flags are read later. */
const TEXT = encodeKept(
  {
    body: JSON.stringify({
      flags: ['a', 'b'].map((key) => ({
        key,
        type: 'BOOLEAN_FLAG_TYPE',
        enabled: true,
        description: 'x'.repeat(LONG_BYTES / 2),
      })),
    }),
    version: 'one',
    etag: 'tag-a,b',
    confirmedAt: Date.UTC(2024, 0, 1) - 1_000,
  },
  { url: 'http://flipt.test', namespace: 'default', environment: undefined },
);
const DAMAGED = `${TEXT.slice(0, -100)}y${TEXT.slice(-99)}`;
const INITIAL = { flags: [{ key: 'other', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] };

/** Makes a store that holds this text. */
function holding(text: string) {
  const saved: string[] = [];
  const store = {
    load: () => Promise.resolve(text),
    save: (next: string) => Promise.resolve(void saved.push(next)),
  };
  return { store, saved };
}

const start = (flipt: Fickle, options: FliptProviderOptions, random = 0.5) =>
  fickleLife(flipt, { snapshot: { store: holding(TEXT).store }, ...options }, manualClock(), () => random);

const others = (answers: readonly string[]) =>
  answers.filter((answer) => answer !== 'on' && answer !== 'STALE on');

describe.each(MODES)('%s, an instance whose saved snapshot is unread', (evaluation) => {
  describe.each(RANDOM)('(random: %s)', (random) => {
    it.each([...WITHOUT_FLAGS, 'down', 'failing', 'page', 'refusing', 'unwatchable'] as const)(
      'answers from it, and is never in the state ERROR, if Flipt is %s at the start',
      async (state) => {
        const flipt = fickleFlipt();
        flipt.state = state;
        const life = await start(flipt, { evaluation }, random);
        expect(others(await life.passes(2_000, 100, ['a', 'b']))).toEqual([]);
        expect(others(await life.passes(60_000, 1_000, ['a', 'b']))).toEqual([]);
        expect(life.seen.filter((seen) => seen.startsWith('error'))).toEqual([]);
        expect(life.condition()).toBe('stale');
      },
    );

    it.each(['without-snapshots', 'page', 'refusing'] as const)(
      'answers from it in an outage if Flipt was %s at the start',
      async (state) => {
        const flipt = fickleFlipt();
        flipt.state = state;
        const life = await start(flipt, { evaluation }, random);
        await life.clock.advance(20_000);
        expect(life.lines('warn')).toContainEqual(expect.stringContaining('Flipt refuses snapshots'));
        flipt.state = 'down';
        expect(await life.passes(60_000, 1_000, ['a'])).toEqual(['STALE on']);
      },
    );
  });

  it('answers from it if the circuit opens before it has been read', async () => {
    const flipt = fickleFlipt();
    const file = join(await temporaryFolder(), 'flags.snapshot');
    await writeFile(file, TEXT);
    const life = await start(flipt, { evaluation, snapshot: { file } });
    flipt.state = 'down';
    const early: Promise<string>[] = [];
    for (let user = 0; user < 20; user++) {
      early.push(life.resolve('a'));
      // The file is read in the real event loop, so it stays unread while only the promises of this test settle.
      await life.clock.settle();
    }
    if (evaluation === 'remote') expect(life.lifecycle.status().circuit?.state).not.toBe('closed');
    expect(others(await Promise.all([...early, life.resolve('a')]))).toEqual([]);
  });

  it.each([100, 1_000])('answers from it within a deadline of %s ms if Flipt hangs', async (deadlineMs) => {
    const flipt = fickleFlipt();
    const life = await start(flipt, { evaluation, deadlineMs });
    flipt.isHanging = true;
    const coming = life.lifecycle.evaluate('a', { targetingKey: 'ann' });
    await life.clock.advance(deadlineMs);
    expect(await coming).toMatchObject({ answer: { kind: 'boolean', enabled: true } });
  });

  it('evaluates all flags from it, and explains a flag from it, at once', async () => {
    for (const what of ['evaluateAll', 'explain'] as const) {
      const flipt = fickleFlipt();
      const { lifecycle, clock, ended } = await start(flipt, { evaluation });
      flipt.state = 'down';
      const before = clock.now();
      const context = { targetingKey: 'ann' };
      const running = lifecycle.open();
      const coming =
        what === 'explain'
          ? running.explain('a', context)
          : evaluateAll(running, context, undefined, clock).then(Object.keys);
      expect(await ended<unknown>(coming)).toMatchObject(what === 'explain' ? { flag: 'a' } : ['a', 'b']);
      expect(clock.now()).toBe(before);
    }
  });

  it('gets a snapshot from Flipt as soon as it finds out that the saved one is damaged', async () => {
    const flipt = fickleFlipt();
    const life = await start(flipt, { evaluation, snapshot: { store: holding(DAMAGED).store } });
    await life.clock.advance(START_WAIT_MS);
    expect(life.lifecycle.status().watch).toMatchObject({ condition: 'working', flags: 2 });
  });

  it.each([
    ['a younger snapshot.initial', TEXT, { ...INITIAL, confirmedAt: '2024-01-01T00:00:00.000Z' }, 'other'],
    ['itself and not an older snapshot.initial', TEXT, INITIAL, 'a'],
    ['an older snapshot.initial if it is damaged', DAMAGED, INITIAL, 'other'],
  ] as const)('answers from %s', async (_what, text, initial, flag) => {
    const flipt = fickleFlipt();
    flipt.state = 'down';
    const life = await start(flipt, { evaluation, snapshot: { store: holding(text).store, initial } });
    expect(await life.resolve(flag)).toBe('STALE on');
    expect(others([await life.resolve(flag === 'a' ? 'other' : 'a')])).toHaveLength(1);
  });

  it.each(WITHOUT_FLAGS)('believes Flipt (%s) if invalidate() is called', async (lost) => {
    const flipt = fickleFlipt();
    const { store, saved } = holding(TEXT);
    const life = await start(flipt, { evaluation, snapshot: { store } });
    flipt.state = lost;
    life.lifecycle.forget();
    await life.clock.advance(1_000);
    expect(await life.resolve('a')).toBe('FLAG_NOT_FOUND');
    expect(life.problems()).toEqual([]);
    await life.ended(life.lifecycle.close());
    expect(saved.at(-1)).toContain('"flags":[]');
  });
});

describe('a long saved snapshot', () => {
  it('is loaded only once from a store that many instances share', async () => {
    const flipt = fickleFlipt();
    const clock = manualClock();
    const memory = memoryStore(clock);
    flipt.flags = Array.from({ length: 13_000 }, (_, at) => `a-flag-with-a-long-name-${at}`);
    await fickleLife(flipt, { snapshot: { store: memory.reached() } }, clock);
    await clock.advance(20_000);
    expect(memory.held.text?.length).toBeGreaterThan(LONG_BYTES);
    const store = memory.reached();
    let loads = 0;
    const load = (...of: Parameters<typeof store.load>) => {
      loads++;
      return store.load(...of);
    };
    await fickleLife(flipt, { snapshot: { store: { ...store, load } } }, clock);
    await clock.advance(20_000);
    expect(loads).toBe(1);
  });
});
