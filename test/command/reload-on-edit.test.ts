import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/time/clock.js';
import { watchFile } from '../../src/command/serve/reload-on-edit.js';

/** A watch of a file that has the next of these versions at each tick. */
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
    after(ms, run, kind) {
      expect([ms, kind]).toEqual([250, 'background']);
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
  const stop = watchFile(look, 'v1', changed, clock);
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
    ['is ignored while it stays the same', ['v1', 'v1', 'v1'], []],
    ['is reported when two looks find the same change', ['v2', 'v2', 'v2'], ['v2']],
    ['is not reported while it is being written', ['half', 'v2', 'v2', 'v2'], ['v2']],
    ['is reported after each change', ['v2', 'v2', 'v3', 'v3', 'v1', 'v1'], ['v2', 'v3', 'v1']],
    ['may be removed and come back', ['none', 'v1', 'v1', 'none', 'none', 'v1', 'v1'], ['none', 'v1']],
  ])('%s', async (_, versions, seen) => {
    expect(await play(versions)).toEqual(seen);
  });

  it('is not looked at after the watch has ended', async () => {
    const { tick, stop, pending } = watched(['v1', 'v2', 'v2']);
    await tick();
    expect(pending()).toBe(1);
    stop();
    expect(pending()).toBe(0);
  });

  it('is not reported if the watch ends during a look', async () => {
    const { seen, tick, stop, pending } = watched(['v2', 'v2']);
    await tick();
    const last = tick();
    stop();
    await last;
    expect(seen).toEqual([]);
    expect(pending()).toBe(0);
  });
});
