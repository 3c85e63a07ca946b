import { describe, expect, it } from 'vitest';
import type { State } from '../../../src/local/state/state.js';
import { SaveError, type Change, Store } from '../../../src/local/state/state-store.js';

const empty: State = { namespaces: new Map(), tokens: new Map() };

/** Adds a namespace. Its result is the number of namespaces before. */
const add =
  (key: string): Change<number> =>
  (state) => {
    if (state.namespaces.has(key)) throw new Error(`${key} is there`);
    const namespace = { key, name: '', description: '', flags: new Map(), segments: new Map() };
    return {
      state: { ...state, namespaces: new Map(state.namespaces).set(key, namespace) },
      result: state.namespaces.size,
    };
  };

const keys = (state: State): readonly string[] => [...state.namespaces.keys()];

/** A save that waits for `end`. */
function slowSave(): {
  readonly saved: State[];
  readonly save: (state: State) => Promise<void>;
  readonly end: (error?: Error) => void;
} {
  const saved: State[] = [];
  const ends: ((error?: Error) => void)[] = [];
  return {
    saved,
    save: (state) =>
      new Promise((resolve, reject) => {
        saved.push(state);
        ends.push((error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    end: (error) => {
      ends.shift()?.(error);
    },
  };
}

describe('a store in memory', () => {
  it('changes at once, and not at all if the change is refused', async () => {
    const store = new Store(empty);
    const change = store.change(add('a'));
    expect(keys(store.state)).toEqual(['a']);
    await expect(change).resolves.toBe(0);
    await expect(store.change(add('a'))).rejects.toThrow('a is there');
    await store.settled();
  });
});

describe('a store that saves', () => {
  it('shows and answers a change only after it is saved', async () => {
    const { save, end } = slowSave();
    const store = new Store(empty, save);
    let answered = false;
    const change = store.change(add('a')).then(() => (answered = true));
    await Promise.resolve();
    expect(keys(store.state)).toEqual([]);
    expect(answered).toBe(false);
    end();
    await change;
    expect(keys(store.state)).toEqual(['a']);
  });

  it('saves changes that wait together once, and refuses only those that are wrong', async () => {
    const { save, saved, end } = slowSave();
    const store = new Store(empty, save);
    const first = store.change(add('a'));
    const others = Promise.allSettled(['b', 'a', 'c', 'b'].map((key) => store.change(add(key))));
    end();
    await first;
    await new Promise(setImmediate);
    end();
    const results = await others;
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(saved.map(keys)).toEqual([['a'], ['a', 'b', 'c']]);
    await store.settled();
  });

  it('saves nothing if every change is refused', async () => {
    const { save, saved } = slowSave();
    const store = new Store({ ...empty, namespaces: add('a')(empty).state.namespaces }, save);
    await expect(store.change(add('a'))).rejects.toThrow('a is there');
    expect(saved).toEqual([]);
  });

  it('is as before after a save that failed, and goes on', async () => {
    const { save, end } = slowSave();
    const store = new Store(empty, save);
    const failing = [store.change(add('a')), store.change(add('b'))];
    end(SaveError.notMade('the disk is full'));
    await expect(failing[0]).rejects.toMatchObject({ name: 'SaveError', made: false });
    await new Promise(setImmediate);
    end(new Error('no permission'));
    await expect(failing[1]).rejects.toThrow(/could not be saved: .*no permission/);
    expect(keys(store.state)).toEqual([]);
    const next = store.change(add('a'));
    end();
    await expect(next).resolves.toBe(0);
  });

  it('keeps a change that is on disk, though it may not survive a power failure', async () => {
    const { save, end } = slowSave();
    const store = new Store(empty, save);
    const change = store.change(add('a'));
    end(SaveError.unsure('EIO'));
    await expect(change).rejects.toThrow('the change was made, but may be lost');
    expect(keys(store.state)).toEqual(['a']);
  });

  it('goes on after a listener that has failed', async () => {
    const { save, end } = slowSave();
    const store = new Store(empty, save);
    const stop = store.onChange(() => {
      throw new Error('a listener failed');
    });
    const failing = store.change(add('a'));
    end();
    await expect(failing).rejects.toThrow('a listener failed');
    stop();
    const next = store.change(add('b'));
    end();
    await expect(next).resolves.toBe(1);
  });

  it('is settled when the last save has ended', async () => {
    const { save, end } = slowSave();
    const store = new Store(empty, save);
    const change = store.change(add('a'));
    const settled = store.settled();
    end();
    await settled;
    await change;
    expect(keys(store.state)).toEqual(['a']);
  });
});
