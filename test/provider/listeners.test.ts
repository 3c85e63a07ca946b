import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { EVENT_TYPES, openDiagnostics } from '../../src/model/events/reporter.js';
import type { FliptEvent, FliptEventType } from '../../src/model/events/flipt-event.js';
import { addListener } from '../../src/provider/listeners.js';

function observing() {
  const warn = vi.fn();
  const diagnostics = openDiagnostics();
  const add = (listener: (event: FliptEvent) => void, types?: readonly FliptEventType[]) =>
    addListener(diagnostics, warn, listener, types);
  return { warn, add, diagnostics };
}

const HIT = { type: 'hit' } as const;
const JOINED = { type: 'joined', flag: 'a' } as const;

describe('a listener', () => {
  it('hears events of all types, or only of those that it names, until it is ended', () => {
    const { add, diagnostics } = observing();
    const [all, some] = [vi.fn(), vi.fn()];
    const ends = [add(all), add(some, ['joined'])];
    diagnostics.report(HIT);
    diagnostics.report(JOINED);
    for (const end of ends) end();
    diagnostics.report(JOINED);
    expect(all.mock.calls).toEqual([[HIT], [JOINED]]);
    expect(some.mock.calls).toEqual([[JOINED]]);
    expect(EVENT_TYPES.filter(diagnostics.hears)).toEqual([]);
  });

  it('may return a promise of another realm that rejects: one warning, and the process goes on', async () => {
    const { warn, add, diagnostics } = observing();
    // What crosses a realm is a thenable, and no instance of this realm's Promise.
    const foreign = runInNewContext('() => Promise.reject(new Error("disk full"))') as () => void;
    add(foreign);
    diagnostics.report(HIT);
    diagnostics.report(HIT);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'onEvent: a listener failed (warned only once): Error: disk full',
    );
  });

  it('hears nothing more once it is ended, not even the event that another listener ends it for', () => {
    const { add, diagnostics } = observing();
    const heard = vi.fn();
    let end: () => void = () => undefined;
    add(() => {
      end();
    });
    end = add(heard);
    diagnostics.report(HIT);
    expect(heard).not.toHaveBeenCalled();
  });

  it('makes the layers report only what it names', () => {
    const { add, diagnostics } = observing();
    add(vi.fn(), ['joined']);
    expect(EVENT_TYPES.filter(diagnostics.hears)).toEqual(['joined']);
  });

  it('that throws causes one warning, and the others hear all', () => {
    const { warn, add, diagnostics } = observing();
    const heard = vi.fn();
    add(() => {
      throw new Error('out of paper\nand ink');
    });
    add(heard);
    diagnostics.report(HIT);
    diagnostics.report(HIT);
    expect(heard).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls).toEqual([
      ['onEvent: a listener failed (warned only once): out of paper and ink'],
    ]);
  });

  it('whose promise rejects causes one warning, and ends no process', async () => {
    const { warn, add, diagnostics } = observing();
    add(() => Promise.reject(new Error('out of paper')) as unknown as undefined);
    diagnostics.report(HIT);
    diagnostics.report(HIT);
    await new Promise(setImmediate);
    expect(warn).toHaveBeenCalledOnce();
  });

  it.each([
    [['log'], 'onEvent: listener: expected a function, got a string'],
    [[vi.fn(), 'hit'], 'onEvent: types: expected a list of event types, got a string'],
    [[vi.fn(), ['hit', 'hits']], /^onEvent: types\.1: expected one of resolved, hit, .*, got "hits"$/],
    [[vi.fn(), [5]], /^onEvent: types\.0: expected one of .*, got a number$/],
  ])('is checked: %j', (given, message) => {
    const add = observing().add as (...given: readonly unknown[]) => unknown;
    expect(() => add(...given)).toThrow(expect.objectContaining({ name: 'TypeError' }) as Error);
    expect(() => add(...given)).toThrow(message);
  });
});
