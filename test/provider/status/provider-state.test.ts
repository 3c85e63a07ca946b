import { describe, expect, it, vi } from 'vitest';
import type { Problem } from '../../../src/model/events/flipt-event.js';
import {
  deriveState,
  type Fallback,
  type ProviderState,
} from '../../../src/provider/status/provider-state.js';
import { changingProblems, REFUSED } from '../diagnostics/problems.fixture.js';

function setUp(knowsAnything = false, fallback: Partial<Fallback> = {}) {
  const { diagnostics, heard, problems: present, ...problems } = changingProblems();
  const changed = vi.fn<Parameters<typeof deriveState>[2]>();
  const explained = vi.fn<(message: string) => void>();
  const none: Fallback = { problems: present, knowsAnything: () => knowsAnything, hasSnapshot: () => false };
  const derived = deriveState(diagnostics, { ...none, ...fallback }, changed, explained);
  heard.push((...of) => {
    derived.problemsChanged(...of);
  });
  return {
    diagnostics,
    changed,
    explained,
    states: () => changed.mock.calls.map(([state]) => state),
    ...problems,
  };
}

describe('the state of a provider', () => {
  it.each<[string, boolean, readonly Problem[], ProviderState[]]>([
    ['is an error while the service was never reached', false, ['unreachable'], ['error']],
    ['is stale during an outage, where answers are known', true, ['unreachable'], ['stale']],
    [
      'is stale while the credentials are rejected, where answers are known',
      true,
      ['credentials-rejected'],
      ['stale'],
    ],
    [
      'is an error while the credentials are rejected, where none is known',
      false,
      ['credentials-rejected'],
      ['error'],
    ],
    ['is stale if only the watch is lost, even where no answer is known', false, ['watch-lost'], ['stale']],
    [
      'is an error if the watch is lost because of an outage',
      false,
      ['watch-lost', 'unreachable'],
      ['stale', 'error'],
    ],
    ['changes once, however many problems there are', false, ['unreachable', 'watch-lost'], ['error']],
  ])('%s', (_, knowsAnything, problems, expected) => {
    const { begin, end, states } = setUp(knowsAnything);
    for (const problem of problems) begin(problem);
    expect(states()).toEqual(expected);
    end(...problems);
    expect(states()).toEqual([...expected, 'ready']);
  });

  it('improves step by step', () => {
    const { begin, end, states } = setUp(false);
    begin('watch-lost');
    begin('unreachable');
    end('unreachable');
    end('watch-lost');
    expect(states()).toEqual(['stale', 'error', 'stale', 'ready']);
  });

  it('comes with the message of the failure', () => {
    const { begin, end, changed } = setUp();
    begin('unreachable');
    expect(changed).toHaveBeenLastCalledWith('error', 'refused');
    end('unreachable');
    expect(changed).toHaveBeenLastCalledWith('ready', 'Flipt answers again');
  });

  it('is stale after the first snapshot has come in the middle of an outage', () => {
    let hasSnapshot = false;
    const { begin, polled, changed, states } = setUp(false, { hasSnapshot: () => hasSnapshot });
    begin('unreachable');
    polled(REFUSED);
    expect(states()).toEqual(['error']);
    hasSnapshot = true;
    polled();
    polled();
    expect(states()).toEqual(['error', 'stale']);
    expect(changed).toHaveBeenLastCalledWith('stale', 'refused');
  });

  it('is known, but not announced, before the outcome of the start', () => {
    const { begin, end, states } = setUp();
    begin('unreachable', REFUSED, true);
    expect(states()).toEqual([]);
    end('unreachable');
    expect(states()).toEqual(['ready']);
  });

  it.each([
    ['watch-lost', 'The provider sees changes of flags again'],
    ['flags-lost', 'Flipt serves flags again'],
  ] as const)('is stale with %s, and says why, and how it ended', (problem, ended) => {
    const { begin, end, changed } = setUp(false, { hasSnapshot: () => true });
    begin(problem);
    expect(changed).toHaveBeenLastCalledWith('stale', 'refused');
    end(problem);
    expect(changed).toHaveBeenLastCalledWith('ready', ended);
  });

  it('comes again with the new reason if another problem is the worst one now', () => {
    const { begin, end, polled, changed, explained } = setUp(false, { hasSnapshot: () => true });
    begin('unreachable');
    begin('flags-lost', { kind: 'flags-lost', message: 'no flags' });
    expect(changed).toHaveBeenCalledExactlyOnceWith('stale', 'refused');
    end('unreachable');
    expect(changed).toHaveBeenLastCalledWith('stale', 'no flags');
    begin('watch-lost');
    end('flags-lost');
    expect(changed).toHaveBeenLastCalledWith('stale', 'refused');
    begin('watch-lost', { ...REFUSED, message: '500' });
    polled(REFUSED);
    expect(explained).toHaveBeenLastCalledWith('500');
    expect(changed).toHaveBeenCalledTimes(3);
  });
});
