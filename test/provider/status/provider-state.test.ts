import { describe, expect, it, vi } from 'vitest';
import type { Problem } from '../../../src/model/events/flipt-event.js';
import {
  deriveState,
  type Fallback,
  type ProviderState,
} from '../../../src/provider/status/provider-state.js';
import { changingProblems, REFUSED } from '../diagnostics/problems.fixture.js';

function setUp(knowsAnything = false, fallback: Partial<Fallback> = {}) {
  const { diagnostics, ...problems } = changingProblems();
  const changed = vi.fn<Parameters<typeof deriveState>[2]>();
  const none: Fallback = { knowsAnything: () => knowsAnything, hasSnapshot: () => false };
  deriveState(diagnostics, { ...none, ...fallback }, changed);
  return { diagnostics, changed, states: () => changed.mock.calls.map(([state]) => state), ...problems };
}

describe('the state of a provider', () => {
  it.each<[string, boolean, readonly Problem[], ProviderState[]]>([
    ['is an error while the service was never reached', false, ['unreachable'], ['error']],
    ['is an error while the credentials are rejected', true, ['credentials-rejected'], ['error']],
    ['is stale during an outage, where answers are known', true, ['circuit-open'], ['stale']],
    ['is an error during an outage, where none is known', false, ['circuit-open'], ['error']],
    [
      'is an error in an outage with rejected credentials',
      true,
      ['circuit-open', 'credentials-rejected'],
      ['stale', 'error'],
    ],
    [
      'changes once, however many problems there are',
      false,
      ['unreachable', 'circuit-open', 'credentials-rejected'],
      ['error'],
    ],
  ])('%s', (_, knowsAnything, problems, expected) => {
    const { begin, end, states } = setUp(knowsAnything);
    for (const problem of problems) begin(problem);
    expect(states()).toEqual(expected);
    end(...problems);
    expect(states()).toEqual([...expected, 'ready']);
  });

  it('improves step by step', () => {
    const { begin, end, states } = setUp(true);
    begin('circuit-open');
    begin('credentials-rejected');
    end('credentials-rejected');
    end('circuit-open');
    expect(states()).toEqual(['stale', 'error', 'stale', 'ready']);
  });

  it('does not change for unusable responses, which may be all about one flag', () => {
    const { begin, end, changed } = setUp(true);
    begin('responses-unusable');
    end('responses-unusable');
    expect(changed).not.toHaveBeenCalled();
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
    begin('circuit-open');
    expect(states()).toEqual([]);
    end('unreachable', 'circuit-open');
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
    const { diagnostics, begin, end, changed } = setUp(false, { hasSnapshot: () => true });
    const explained = vi.fn();
    deriveState(diagnostics, { knowsAnything: () => false, hasSnapshot: () => true }, vi.fn(), explained);
    begin('circuit-open');
    begin('unreachable');
    expect(changed).toHaveBeenCalledExactlyOnceWith('stale', 'refused');
    diagnostics.report({ type: 'circuit-changed', state: 'open', failure: { ...REFUSED, message: 'reset' } });
    begin('flags-lost', { kind: 'flags-lost', message: 'no flags' });
    expect(changed).toHaveBeenCalledTimes(1);
    end('unreachable');
    end('circuit-open');
    expect(changed).toHaveBeenLastCalledWith('stale', 'no flags');
    begin('watch-lost');
    end('flags-lost');
    expect(changed).toHaveBeenLastCalledWith('stale', 'refused');
    diagnostics.report({ type: 'snapshot-polled', durationMs: 1, failure: { ...REFUSED, message: '500' } });
    expect(explained).toHaveBeenCalledExactlyOnceWith('500');
    expect(changed).toHaveBeenCalledTimes(3);
  });
});
