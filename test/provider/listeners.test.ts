import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { openDiagnostics } from '../../src/model/events/reporter.js';
import { EVENT_TYPES, type DiagnosticEvent } from '../../src/model/events/internal-events.js';
import type { FliptEvent } from '../../src/model/events/flipt-event.js';
import { Listeners } from '../../src/provider/listeners.js';

function observing() {
  const warn = vi.fn();
  const observers = new Listeners(warn);
  const diagnostics = openDiagnostics();
  observers.attach(diagnostics);
  return { warn, observers, diagnostics };
}

const HIT = { type: 'hit' } as const;
const JOINED = { type: 'joined', flag: 'a' } as const;

describe('a listener', () => {
  it('hears events of all types, or only of those that it names, until it is ended', () => {
    const { observers, diagnostics } = observing();
    const [all, some] = [vi.fn(), vi.fn()];
    const ends = [observers.add(all), observers.add(some, ['joined'])];
    diagnostics.report(HIT);
    diagnostics.report(JOINED);
    for (const end of ends) end();
    diagnostics.report(JOINED);
    expect(all.mock.calls).toEqual([[HIT], [JOINED]]);
    expect(some.mock.calls).toEqual([[JOINED]]);
    expect(Object.values(diagnostics.wants)).toEqual(EVENT_TYPES.map(() => false));
  });

  it('may return a promise of another realm that rejects: one warning, and the process goes on', async () => {
    const { warn, observers, diagnostics } = observing();
    // What crosses a realm is a thenable, and no instance of this realm's Promise.
    const foreign = runInNewContext('() => Promise.reject(new Error("disk full"))') as () => void;
    observers.add(foreign);
    diagnostics.report(HIT);
    diagnostics.report(HIT);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'onEvent: a listener failed (warned only once): Error: disk full',
    );
  });

  it('hears nothing more once it is ended, not even the event that another listener ends it for', () => {
    const { observers, diagnostics } = observing();
    const heard = vi.fn();
    let end: () => void = () => undefined;
    observers.add(() => {
      end();
    });
    end = observers.add(heard);
    diagnostics.report(HIT);
    expect(heard).not.toHaveBeenCalled();
  });

  it('makes the layers report only what it names', () => {
    const { observers, diagnostics } = observing();
    observers.add(vi.fn(), ['joined']);
    expect(EVENT_TYPES.filter((type) => diagnostics.wants[type])).toEqual(['joined']);
  });

  it('hears the events of the next start, and no longer those of the last', () => {
    const { observers, diagnostics } = observing();
    const heard = vi.fn();
    observers.add(heard);
    const next = openDiagnostics();
    observers.attach(next);
    diagnostics.report(HIT);
    expect(heard).not.toHaveBeenCalled();
    next.report(HIT);
    expect(heard).toHaveBeenCalledOnce();
  });

  it('that throws causes one warning, and the others hear all', () => {
    const { warn, observers, diagnostics } = observing();
    const heard = vi.fn();
    observers.add(() => {
      throw new Error('out of paper\nand ink');
    });
    observers.add(heard);
    diagnostics.report(HIT);
    diagnostics.report(HIT);
    expect(heard).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls).toEqual([
      ['onEvent: a listener failed (warned only once): out of paper and ink'],
    ]);
  });

  it('whose promise rejects causes one warning, and ends no process', async () => {
    const { warn, observers, diagnostics } = observing();
    observers.add(() => Promise.reject(new Error('out of paper')) as unknown as undefined);
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
    const { observers } = observing();
    const add = observers.add.bind(observers) as (...given: readonly unknown[]) => unknown;
    expect(() => add(...given)).toThrow(expect.objectContaining({ name: 'TypeError' }) as Error);
    expect(() => add(...given)).toThrow(message);
  });
});

/** An event of each type. Wherever its type has room for it, it holds text that must not get out. */
const PLANTED = 'planted';
const failure = { kind: 'unreadable', message: PLANTED, cause: new Error(PLANTED) } as const;
const EVENTS: { readonly [Type in DiagnosticEvent['type']]: Extract<DiagnosticEvent, { type: Type }> } = {
  resolved: {
    type: 'resolved',
    flag: 'a',
    source: 'cache',
    stale: false,
    missing: false,
    failure: undefined,
    durationMs: 0,
  },
  hit: HIT,
  'stale-hit': { type: 'stale-hit' },
  joined: JOINED,
  miss: { type: 'miss', flag: 'a' },
  'batch-sent': { type: 'batch-sent', items: 1, bytes: 1 },
  attempt: { type: 'attempt', failure: 'timeout', durationMs: 1 },
  retry: { type: 'retry', attempt: 2, delayMs: 1, failure: 'timeout' },
  'circuit-changed': { type: 'circuit-changed', state: 'open', failure: 'timeout' },
  'health-changed': {
    type: 'health-changed',
    before: [],
    after: ['unreachable'],
    starting: false,
  },
  'credentials-refreshed': { type: 'credentials-refreshed', failure },
  'isolation-started': { type: 'isolation-started', items: 2 },
  'isolation-finished': { type: 'isolation-finished', requests: 2, suspects: 1 },
  shed: { type: 'shed', reason: 'late', questions: 2 },
  'snapshot-polled': { type: 'snapshot-polled', durationMs: 1, failure },
  'watch-changed': { type: 'watch-changed', state: 'lost', failure },
  'flags-changed': { type: 'flags-changed', flags: ['a'] },
  'flags-unreadable': {
    type: 'flags-unreadable',
    flags: new Map([['a', { reason: PLANTED, text: PLANTED }]]),
  },
  'flags-repeated': { type: 'flags-repeated', flags: ['a'] },
  'namespace-suspect': { type: 'namespace-suspect', failure },
  'flag-key-suspect': { type: 'flag-key-suspect', flag: 'a', like: 'b' },
  'bucket-shared': { type: 'bucket-shared', flag: 'a' },
  'tracking-sent': { type: 'tracking-sent', events: 2 },
  'tracking-lost': { type: 'tracking-lost', events: 1 },
  closed: { type: 'closed' },
  'stream-changed': { type: 'stream-changed', state: 'broken', why: PLANTED },
};

describe('an event for listeners', () => {
  it.each(EVENT_TYPES)('%s is plain JSON, and holds no question and no text of a failure', (type) => {
    const { observers, diagnostics } = observing();
    const heard: FliptEvent[] = [];
    observers.add((event) => heard.push(event));
    diagnostics.report(EVENTS[type]);
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ type });
    expect(JSON.parse(JSON.stringify(heard[0]))).toEqual(heard[0]);
    expect(JSON.stringify(heard)).not.toContain(PLANTED);
  });

  it('names failures by kind, problems by name, and the flag of a question', () => {
    const { observers, diagnostics } = observing();
    const heard: FliptEvent[] = [];
    observers.add((event) => heard.push(event));
    for (const type of ['miss', 'health-changed', 'circuit-changed'] as const)
      diagnostics.report(EVENTS[type]);
    expect(heard).toEqual([
      { type: 'miss', flag: 'a' },
      { type: 'health-changed', before: [], after: ['unreachable'], starting: false },
      { type: 'circuit-changed', state: 'open', failure: 'timeout' },
    ]);
  });

  it('has its own copy of a list that the layers still use', () => {
    const { observers, diagnostics } = observing();
    const flags = ['a'];
    observers.add((event) => {
      if (event.type === 'flags-changed') (event.flags as string[]).length = 0;
    });
    diagnostics.report({ type: 'flags-changed', flags });
    expect(flags).toEqual(['a']);
  });
});
