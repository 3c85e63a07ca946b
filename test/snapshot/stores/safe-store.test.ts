import { describe, expect, it } from 'vitest';
import { untilAborted } from '../../../src/base/time/in-time.js';
import { safeStore, type TextStore } from '../../../src/snapshot/stores/safe-store.js';
import { manualClock } from '../../clock.fixture.js';
import { savingStore } from './saving-store.fixture.js';

const never = () => new Promise<never>(() => undefined);
const fails = () => Promise.reject(new Error('disk full'));

function kept(parts: Partial<TextStore>) {
  const clock = manualClock();
  const { store, saved } = savingStore();
  const warnings: string[] = [];
  const warn = (message: string) => {
    warnings.push(message);
  };
  return { ...safeStore({ ...store, ...parts }, 'the store', warn, clock), clock, saved, warnings };
}

describe('a store that works', () => {
  it('is loaded from', async () => {
    const { load, warnings } = kept({ load: () => Promise.resolve('text') });
    expect(await load(5_000)).toBe('text');
    expect(warnings).toEqual([]);
  });

  it('has nothing to load at first', async () => {
    expect(await kept({}).load(5_000)).toBeUndefined();
  });

  it('is saved to at most once every 5 seconds, with the newest text', async () => {
    const { save, clock, saved } = kept({});
    for (const text of ['one', 'two']) save(() => text);
    await clock.advance(0);
    expect(saved).toEqual(['two']);
    for (const text of ['three', 'four']) save(() => text);
    await clock.advance(4_999);
    expect(saved).toEqual(['two']);
    await clock.advance(1);
    expect(saved).toEqual(['two', 'four']);
    expect(clock.timers()).toBe(0);
  });

  it('gets a pending text when the provider is closed', async () => {
    const { save, close, clock, saved } = kept({});
    save(() => 'one');
    await clock.advance(0);
    save(() => 'two');
    await close();
    expect(saved).toEqual(['one', 'two']);
    expect(clock.timers()).toBe(0);
  });

  it('is not written to in the background by a process that could end', () => {
    const { save, clock } = kept({});
    save(() => 'one');
    expect(clock.timers('awaited')).toBe(0);
  });
});

describe('a store in trouble', () => {
  it.each([
    ['rejects', fails],
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
  ])('that %s is reported once, and so is that it works again', async (_, broken) => {
    let isBroken = true;
    const { save, clock, warnings } = kept({ save: () => (isBroken ? broken() : Promise.resolve()) });
    const saveOne = async () => {
      save(() => 'text');
      await clock.advance(5_000);
    };
    await saveOne();
    await saveOne();
    const warning = 'the store could not save the snapshot: disk full; the provider goes on without it';
    expect(warnings).toEqual([warning]);
    isBroken = false;
    await saveOne();
    isBroken = true;
    await saveOne();
    const works = 'the store works again: the snapshot is kept';
    expect(warnings).toEqual([warning, works, warning]);
  });

  it('that could not be loaded works again with the first save', async () => {
    const { load, save, clock, warnings } = kept({ load: fails });
    await load(5_000);
    save(() => 'text');
    await clock.advance(0);
    expect(warnings.slice(1)).toEqual(['the store works again: the snapshot is kept']);
  });

  it('that fails to load gives nothing', async () => {
    const { load, warnings } = kept({ load: fails });
    expect(await load(5_000)).toBeUndefined();
    expect(warnings).toEqual([
      'the store could not load the snapshot: disk full; the provider goes on without it',
    ]);
  });

  it('that hangs delays the start no longer than it may take', async () => {
    const { load, clock, warnings } = kept({ load: never });
    const loading = load(5_000);
    await clock.advance(5_000);
    expect(await loading).toBeUndefined();
    expect(warnings[0]).toContain('no answer within 5000 ms');
  });

  it('that hangs does not keep the process alive once the provider is closed', async () => {
    const closing = new AbortController();
    const { load, clock, warnings } = kept({ load: () => untilAborted(never(), closing.signal, undefined) });
    const loading = load(5_000);
    await clock.settle();
    expect(clock.timers('awaited')).toBe(1);
    closing.abort();
    expect(await loading).toBeUndefined();
    expect(clock.timers()).toBe(0);
    expect(warnings).toEqual([]);
  });

  it('that loads something other than text gives nothing', async () => {
    expect(await kept({ load: () => Promise.resolve(7 as never) }).load(5_000)).toBeUndefined();
  });

  it('that hangs while it saves gets no other call before that one has ended', async () => {
    let calls = 0;
    let end: () => void = () => undefined;
    const { save, clock, warnings } = kept({
      save: () => {
        calls++;
        return new Promise((resolve) => {
          end = resolve;
        });
      },
    });
    save(() => 'one');
    await clock.advance(10_000);
    expect(warnings[0]).toContain('no answer within 10000 ms');
    save(() => 'two');
    await clock.advance(60_000);
    expect(calls).toBe(1);
    end();
    await clock.advance(5_000);
    expect(calls).toBe(2);
  });

  it('whose call never ends is called again after two minutes: a dead connection may never say so', async () => {
    const calls: string[] = [];
    const { save, clock } = kept({
      save: (text) => {
        calls.push(text);
        return calls.length === 1 ? never() : Promise.resolve();
      },
    });
    save(() => 'one');
    await clock.advance(119_999);
    save(() => 'two');
    await clock.advance(0);
    expect(calls).toEqual(['one']);
    await clock.advance(1);
    save(() => 'three');
    await clock.advance(0);
    expect(calls).toEqual(['one', 'three']);
  });

  it('whose lost call ends after all gets no other beside the one under way', async () => {
    const ends: (() => void)[] = [];
    const { save, clock } = kept({
      save: () =>
        new Promise<void>((resolve) => {
          ends.push(resolve);
        }),
    });
    save(() => 'one');
    await clock.advance(120_000);
    save(() => 'two');
    await clock.advance(10_000);
    ends[0]?.();
    save(() => 'three');
    await clock.advance(5_000);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await clock.advance(0);
    expect(ends).toHaveLength(3);
  });

  it('that hangs does not keep the provider from closing', async () => {
    const { save, close, clock } = kept({ save: never });
    save(() => 'one');
    await clock.advance(0);
    save(() => 'two');
    const closing = close();
    await clock.advance(10_000);
    await closing;
    expect(clock.timers()).toBe(0);
  });
});
