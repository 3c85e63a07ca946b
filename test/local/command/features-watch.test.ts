import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/clock.js';
import { fingerprint, watchFile } from '../../../src/local/command/features-watch.js';
import { useFolder } from '../folder.fixture.js';

const at = useFolder();

/** A watch whose file's versions and ticks are dictated. */
function watched(versions: readonly string[]): {
  readonly seen: string[];
  readonly tick: () => Promise<void>;
  readonly stop: () => void;
  readonly pending: () => number;
} {
  const timers: (() => void)[] = [];
  const clock: Clock = {
    now: () => 0,
    date: () => 0,
    endOfTurn: () => undefined,
    after(ms, run, background) {
      expect([ms, background]).toEqual([250, 'background']);
      timers.push(run);
      return () => {
        timers.splice(timers.indexOf(run), 1);
      };
    },
  };
  const seen: string[] = [];
  let position = 0;
  const look = async (): Promise<string> => versions[position++] ?? '';
  const changed = async (): Promise<void> => {
    seen.push(versions[position - 1] ?? '');
  };
  const stop = watchFile('features.yml', 'v1', changed, clock, look);
  const tick = async (): Promise<void> => {
    timers.shift()?.();
    await new Promise(setImmediate);
  };
  return { seen, tick, stop, pending: () => timers.length };
}

async function play(versions: readonly string[]): Promise<readonly string[]> {
  const { seen, tick } = watched(versions);
  for (let ticks = 0; ticks < versions.length; ticks++) await tick();
  return seen;
}

describe('a file that is watched', () => {
  it.each([
    ['is left alone while it stays the same', ['v1', 'v1', 'v1'], []],
    ['is taken up when it has changed and come to rest', ['v2', 'v2', 'v2'], ['v2']],
    ['is not taken up while it is being written', ['half', 'v2', 'v2', 'v2'], ['v2']],
    ['is taken up each time', ['v2', 'v2', 'v3', 'v3', 'v1', 'v1'], ['v2', 'v3', 'v1']],
    ['may go and come back', ['none', 'v1', 'v1', 'none', 'none', 'v1', 'v1'], ['none', 'v1']],
  ])('%s', async (_, versions, seen) => {
    expect(await play(versions)).toEqual(seen);
  });

  it('is not looked at any more once the watch has ended', async () => {
    const { tick, stop, pending } = watched(['v1', 'v2', 'v2']);
    await tick();
    expect(pending()).toBe(1);
    stop();
    expect(pending()).toBe(0);
  });

  it('is let go even while it is looked at', async () => {
    const { seen, tick, stop, pending } = watched(['v2', 'v2']);
    await tick();
    const last = tick();
    stop();
    await last;
    expect(seen).toEqual([]);
    expect(pending()).toBe(0);
  });
});

describe('a fingerprint', () => {
  it('differs from version to version, and where there is no file', async () => {
    const path = at('watched.yml');
    const none = await fingerprint(path);
    await writeFile(path, 'a');
    const first = await fingerprint(path);
    await writeFile(path, 'ab');
    const second = await fingerprint(path);
    expect(new Set([none, first, second]).size).toBe(3);
    expect(await fingerprint(path)).toBe(second);
    await rm(path);
    expect(await fingerprint(path)).toBe(none);
  });
});
