import { describe, expect, it, vi } from 'vitest';
import type { Problem } from '../../src/availability/health.js';
import type { Answer } from '../../src/model/answer.js';
import type { Failure } from '../../src/model/failure.js';
import { recovery } from '../../src/availability/recovery.js';
import type { Reached } from '../../src/availability/reach.js';
import { manualClock } from '../clock.fixture.js';

const REFUSED: Failure = { kind: 'unauthorized', message: 'no' };
const NO_CREDENTIALS: Failure = { kind: 'credentials', message: 'no file' };
const UNREADABLE: Failure = { kind: 'unreadable', message: 'HTML' };
const DOWN: Failure = { kind: 'connection', message: 'refused' };

function setUp() {
  const clock = manualClock();
  const raised = new Set<Problem>();
  const check = vi.fn<() => Promise<Reached>>(() => Promise.resolve(DOWN));
  const reached = vi.fn();
  const health = {
    raise: (problem: Problem) => void raised.add(problem),
    clear: (...problems: readonly Problem[]) => {
      for (const problem of problems) raised.delete(problem);
    },
    has: (problem: Problem) => raised.has(problem),
  };
  const recovering = recovery({ health, check, reached }, clock, () => 1);
  const outcome = vi.fn<() => Promise<readonly Answer[] | Failure>>();
  const ask = recovering.observed(outcome);
  const asking = async (what: readonly Answer[] | Failure, times = 1) => {
    outcome.mockResolvedValue(what);
    for (let time = 0; time < times; time++) expect(await ask([])).toBe(what);
  };
  return { clock, raised, check, reached, asking, ...recovering };
}

describe('what comes of requests', () => {
  it.each<[string, Failure]>([
    ['a refusal of the credentials', REFUSED],
    ['credentials that cannot be had', NO_CREDENTIALS],
  ])('%s is a problem, and the service is checked until it answers', async (_, failure) => {
    const { clock, raised, check, reached, asking } = setUp();
    await asking(failure, 3);
    expect([...raised]).toEqual(['refused']);
    expect(clock.timers('background')).toBe(1);
    await clock.advance(1_000);
    expect(check).toHaveBeenCalledOnce();
    check.mockResolvedValue(undefined);
    await clock.advance(2_000);
    expect(reached).toHaveBeenCalledOnce();
    expect(raised.size).toBe(0);
    expect(clock.timers()).toBe(0);
  });

  it.each<[Failure, Problem]>([
    [DOWN, 'unreached'],
    [REFUSED, 'refused'],
    [NO_CREDENTIALS, 'refused'],
  ])('%o at the start is the problem %s', (failure, problem) => {
    const { raised, startFailed, close } = setUp();
    startFailed(failure);
    expect([...raised]).toEqual([problem]);
    close();
  });

  it('a success clears the problems that it disproves, and ends the health checks', async () => {
    const { clock, raised, asking, startFailed } = setUp();
    startFailed(DOWN);
    await asking([]);
    expect(raised.size).toBe(0);
    expect(clock.timers()).toBe(0);
  });

  it('ten useless answers in a row are a problem, nine are not', async () => {
    const { raised, asking } = setUp();
    await asking(UNREADABLE, 9);
    await asking([]);
    await asking(UNREADABLE, 9);
    expect(raised.size).toBe(0);
    await asking(UNREADABLE);
    expect([...raised]).toEqual(['unusable']);
    await asking([]);
    expect(raised.size).toBe(0);
  });

  it('useless answers are no news while the service is not reached', async () => {
    const { raised, asking, startFailed, close } = setUp();
    const useless: Failure = { kind: 'not-found', message: 'no such path' };
    startFailed(useless);
    await asking(useless, 30);
    expect([...raised]).toEqual(['unreached']);
    close();
  });

  it('an outage is for the circuit breaker to judge', async () => {
    const { raised, asking } = setUp();
    await asking(DOWN, 30);
    await asking({ kind: 'gateway', message: 'down' }, 30);
    expect(raised.size).toBe(0);
  });

  it('is no matter once it is closed', async () => {
    const { clock, raised, asking, startFailed, close } = setUp();
    startFailed(DOWN);
    close();
    expect(clock.timers()).toBe(0);
    raised.clear();
    await asking(REFUSED);
    startFailed(DOWN);
    expect(raised.size).toBe(0);
    expect(clock.timers()).toBe(0);
  });
});
