import { describe, expect, it, vi } from 'vitest';
import { loopTime } from '../../src/base/time/loop-time.js';
import type { Problem } from '../../src/model/events/flipt-event.js';
import { openDiagnostics } from '../../src/model/events/reporter.js';
import type { Failure, FailureKind } from '../../src/model/failure.js';
import { askingHealthy, serviceHealth, type HealthSettings } from '../../src/remote/health.js';
import { manualClock } from '../clock.fixture.js';
import { failedWith } from '../http/outcomes.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';

const BREAKER = { failures: 3, openForMs: 1_000, maxOpenForMs: 4_000 };
const DOWN = failedWith('connection');
const REJECTED: Failure = { kind: 'unauthorized', message: 'no' };
const NO_CREDENTIALS: Failure = { kind: 'credentials', message: 'no file' };

/** Health over checks that fail unless the test says otherwise, without jitter. */
function setUp(more: Partial<HealthSettings & { random: () => number }> = {}) {
  const clock = manualClock();
  const checkedAt: number[] = [];
  const outcome = vi.fn<() => Promise<Failure | undefined>>(() => Promise.resolve(DOWN));
  const check = () => {
    checkedAt.push(clock.now());
    return outcome();
  };
  const diagnostics = openDiagnostics();
  const changes: string[] = [];
  const starting: boolean[] = [];
  diagnostics.listen('health-changed', (event) => {
    changes.push(event.after.join(' + '));
    starting.push(event.starting);
  });
  const states: string[] = [];
  diagnostics.listen('circuit-changed', ({ state }) => states.push(state));
  const health = serviceHealth(
    { check, breaker: BREAKER, time: loopTime(clock), ...more },
    runtimeOf(clock, diagnostics, more.random ?? (() => 1)),
  );
  const fail = async (failure = DOWN) => {
    health.failed(failure);
    await clock.settle();
  };
  /** Makes Flipt sick, which takes three failed checks. */
  const sicken = async () => {
    await fail();
    await clock.advance(300);
  };
  return { clock, health, check: outcome, checkedAt, changes, starting, states, fail, sicken };
}

describe('Flipt is sick', () => {
  it('after so many failed checks in a row, and then no evaluation is sent', async () => {
    const { clock, health, checkedAt, changes, states, fail } = setUp();
    await fail();
    await clock.advance(299);
    expect([health.refusal(), changes]).toEqual([undefined, []]);
    await clock.advance(1);
    expect(checkedAt).toEqual([0, 100, 300]);
    expect(health.refusal()).toEqual({
      kind: 'circuit-open',
      message: `the circuit is open: no requests are sent after repeated failures; the last: ${DOWN.message}`,
    });
    expect([changes, states]).toEqual([['unreachable'], ['open']]);
  });

  it('not while checks pass, however many requests fail, and one check a second is enough', async () => {
    const { clock, health, check, checkedAt, fail } = setUp();
    check.mockResolvedValue(undefined);
    for (let time = 0; time < 30; time++) await fail();
    await clock.advance(1_000);
    expect(checkedAt).toEqual([0, 1_000]);
    expect([health.problems().size, health.refusal(), clock.timers()]).toEqual([0, undefined, 0]);
  });

  it('not if a request is answered between the failed checks', async () => {
    const { clock, health, checkedAt, fail } = setUp();
    await fail();
    await clock.advance(100);
    health.answered();
    await clock.advance(60_000);
    expect([checkedAt, health.problems().size, clock.timers()]).toEqual([[0, 100], 0, 0]);
  });

  it.each<FailureKind>(['deadline', 'overload', 'closed', 'context'])(
    'never because of a failure of this process or its caller (%s)',
    async (kind) => {
      const { checkedAt, fail } = setUp();
      await fail(failedWith(kind));
      expect(checkedAt).toEqual([]);
    },
  );

  it.each<FailureKind>(['connection', 'timeout', 'gateway', 'service-error', 'unreadable', 'not-found'])(
    'if checks fail with %s',
    async (kind) => {
      const { health, check, sicken } = setUp();
      check.mockResolvedValue(failedWith(kind));
      await sicken();
      expect([...health.problems().keys()]).toEqual(['unreachable']);
    },
  );

  it('not by checks that this process has ended itself', async () => {
    const { health, check, sicken } = setUp();
    check.mockResolvedValue(failedWith('closed'));
    await sicken();
    expect(health.problems().size).toBe(0);
  });

  it('and evaluations are sent all the same if the breaker is off', async () => {
    const { health, sicken, states } = setUp({ breaker: undefined });
    await sicken();
    expect([[...health.problems().keys()], health.refusal(), states]).toEqual([
      ['unreachable'],
      undefined,
      [],
    ]);
  });
});

describe('while Flipt is sick', () => {
  it('it is checked at growing intervals in the background, until a check passes', async () => {
    const { clock, health, check, checkedAt, changes, states, sicken } = setUp();
    await sicken();
    expect([clock.timers('background'), clock.timers('awaited')]).toEqual([1, 0]);
    await clock.advance(11_000);
    expect(checkedAt.slice(3)).toEqual([1_300, 3_300, 7_300, 11_300]);
    check.mockResolvedValue(undefined);
    await clock.advance(4_000);
    expect([health.refusal(), clock.timers()]).toEqual([undefined, 0]);
    expect([changes, states]).toEqual([
      ['unreachable', ''],
      ['open', 'closed'],
    ]);
  });

  it('it is checked after half of these intervals at the earliest', async () => {
    const { clock, checkedAt, sicken } = setUp({ random: () => 0 });
    await sicken();
    await clock.advance(1_500);
    expect(checkedAt.slice(3)).toEqual([800, 1_800]);
  });

  it('it is found within ten seconds, however long it was gone', async () => {
    const { clock, health, check, sicken } = setUp({
      breaker: { failures: 3, openForMs: 5_000, maxOpenForMs: 10_000 },
    });
    await sicken();
    await clock.advance(3_600_000);
    check.mockResolvedValue(undefined);
    await clock.advance(10_000);
    expect(health.refusal()).toBeUndefined();
  });

  it('the newest failure is the reason', async () => {
    const { clock, health, check, sicken } = setUp();
    await sicken();
    check.mockResolvedValue(failedWith('gateway'));
    await clock.advance(1_000);
    expect(health.problems().get('unreachable')?.kind).toBe('gateway');
  });

  it('nothing goes on after the close', async () => {
    const { clock, health, checkedAt, changes, sicken } = setUp();
    await sicken();
    health.close(failedWith('closed'));
    await clock.advance(60_000);
    expect([checkedAt.length, changes, clock.timers()]).toEqual([3, ['unreachable'], 0]);
  });
});

describe('a 401 or 403', () => {
  const FORBIDDEN: Failure = { kind: 'forbidden', message: 'not this user' };
  const asking = (its: ReturnType<typeof setUp>, failure: Failure) =>
    askingHealthy(() => Promise.resolve(failure), its.health)([]);

  it('concerns the request alone if a check passes', async () => {
    const its = setUp();
    its.check.mockResolvedValue(undefined);
    expect(await asking(its, FORBIDDEN)).toEqual({ kind: 'refused-request', message: 'not this user' });
    expect([its.changes, its.clock.timers()]).toEqual([[], 0]);
  });

  it('concerns the credentials if a check is rejected as well, and no more evaluations are sent', async () => {
    const its = setUp();
    its.check.mockResolvedValue(REJECTED);
    expect(await asking(its, FORBIDDEN)).toBe(FORBIDDEN);
    expect([its.changes, its.checkedAt]).toEqual([['credentials-rejected'], [0]]);
    expect(its.health.refusal()).toBe(REJECTED);
    its.check.mockResolvedValue(undefined);
    await its.clock.advance(1_000);
    expect([its.changes.at(-1), its.health.refusal()]).toEqual(['', undefined]);
  });

  it('of many requests at once costs one check', async () => {
    const its = setUp();
    its.check.mockResolvedValue(undefined);
    await Promise.all([asking(its, FORBIDDEN), asking(its, FORBIDDEN), asking(its, REJECTED)]);
    expect(its.checkedAt).toEqual([0]);
  });
});

it('credentials that cannot be had are a problem, and each evaluation tries to get some', async () => {
  const { health, check, changes, fail } = setUp();
  check.mockResolvedValue(NO_CREDENTIALS);
  await fail(NO_CREDENTIALS);
  expect([changes, health.refusal()]).toEqual([['credentials-rejected'], undefined]);
  health.answered();
  expect(changes).toEqual(['credentials-rejected', '']);
});

describe('the service explains', () => {
  const timeout = failedWith('timeout');

  it('whatever fails if a check fails, too, for 5 s', async () => {
    const { clock, health, check } = setUp();
    expect(await health.explains(failedWith('service-error'))).toBe(true);
    check.mockResolvedValue(undefined);
    await clock.advance(4_999);
    expect(await health.explains(failedWith('service-error'))).toBe(true);
    await clock.advance(1);
    expect(await health.explains(failedWith('service-error'))).toBe(false);
  });

  it('a time-out if the check is slow: over 200 ms, and a quarter slower than the fastest', async () => {
    for (const [fastestMs, slowMs, expected] of [
      [10, 201, true],
      [10, 200, false],
      [150, 201, true],
      [300, 376, true],
      [300, 375, false],
    ] as const) {
      const { clock, health, check } = setUp();
      const taking = (ms: number) =>
        new Promise<undefined>((resolve) => {
          clock.after(ms, () => {
            resolve(undefined);
          });
        });
      check.mockImplementation(() => taking(fastestMs));
      const first = health.explains(timeout);
      await clock.advance(fastestMs);
      expect(await first).toBe(false);
      check.mockImplementation(() => taking(slowMs));
      await clock.advance(1_000);
      const second = health.explains(timeout);
      await clock.advance(slowMs);
      expect(await second).toBe(expected);
      expect(await health.explains(failedWith('service-error'))).toBe(false);
    }
  });
});

describe('the start', () => {
  it('ends with the first check that passes', async () => {
    const { clock, health, check, checkedAt } = setUp();
    check.mockResolvedValueOnce(DOWN).mockResolvedValueOnce(DOWN).mockResolvedValue(undefined);
    const started = health.start(5_000);
    await clock.advance(300);
    expect(await started).toBeUndefined();
    expect([checkedAt, clock.timers()]).toEqual([[0, 100, 300], 0]);
  });

  it('checks again after 100 ms, then after up to a second, until the time is up', async () => {
    const { clock, health, checkedAt } = setUp();
    const started = health.start(5_000);
    expect(clock.timers('awaited')).toBe(1);
    await clock.advance(5_000);
    expect(await started).toBe(DOWN);
    expect(checkedAt.slice(0, 8)).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500, 4_500]);
    expect(clock.timers('awaited')).toBe(0);
  });

  it('ends at once if the credentials are rejected, or once there is a snapshot', async () => {
    const rejected = setUp();
    rejected.check.mockResolvedValueOnce(DOWN).mockResolvedValue(REJECTED);
    const started = rejected.health.start(5_000);
    await rejected.clock.advance(100);
    expect(await started).toBe(REJECTED);
    const short = setUp();
    let hasSnapshot = false;
    const twice = short.health.start(5_000, () => hasSnapshot);
    await short.clock.advance(50);
    // A slow store has given its snapshot.
    hasSnapshot = true;
    await short.clock.advance(50);
    expect([await twice, short.checkedAt]).toEqual([DOWN, [0, 100]]);
  });

  it('ends in time if the service is silent', async () => {
    const { clock, health, check } = setUp();
    check.mockReturnValue(new Promise(() => undefined));
    const started = health.start(50);
    await clock.advance(50);
    expect(await started).toEqual({
      kind: 'timeout',
      message: 'Flipt did not answer within 50 ms (initTimeoutMs)',
    });
  });

  it('does not fail because the app blocks its event loop for longer than it may take', async () => {
    const { clock, health, check } = setUp();
    let answer: (failure: undefined) => void = () => undefined;
    check.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    const started = health.start(5_000);
    await clock.settle();
    clock.block(6_000);
    await clock.advance(1_000);
    answer(undefined);
    await clock.settle();
    expect(await started).toBeUndefined();
  });

  it.each([0, 150])('can be closed after %s ms, and then does nothing more', async (ms) => {
    const { clock, health, checkedAt } = setUp();
    const started = health.start(5_000);
    await clock.advance(ms);
    const checked = checkedAt.length;
    health.close(failedWith('closed'));
    expect(await started).toEqual(failedWith('closed'));
    await clock.advance(60_000);
    expect([checkedAt.length, clock.timers()]).toEqual([checked, 0]);
  });

  it.each<[Failure, Problem]>([
    [DOWN, 'unreachable'],
    [REJECTED, 'credentials-rejected'],
    [NO_CREDENTIALS, 'credentials-rejected'],
  ])('that ends with %o leaves the problem %s, until a check passes', async (failure, problem) => {
    const { clock, health, check, changes, starting } = setUp();
    check.mockResolvedValue(failure);
    const started = health.start(50);
    await clock.advance(50);
    await started;
    expect(changes).toEqual([problem]);
    check.mockResolvedValue(undefined);
    await clock.advance(1_000);
    expect([changes, starting]).toEqual([
      [problem, ''],
      [true, false],
    ]);
  });
});

describe('the polls', () => {
  it('that fail for too long cause a check at once where each instance polls for itself', async () => {
    const { clock, health, checkedAt, changes } = setUp({ random: () => 0.9 });
    health.watched('lost', DOWN);
    await clock.advance(300);
    expect(checkedAt).toEqual([0, 100, 300]);
    expect(changes).toEqual(['watch-lost', 'unreachable + watch-lost']);
    health.watched('working', undefined);
    expect(changes.at(-1)).toBe('unreachable');
  });

  it('that are lost are followed by one poll when a check passes, and not by one for each check', async () => {
    const recovered = vi.fn();
    const { clock, health, check } = setUp({ recovered });
    health.watched('lost', DOWN);
    await clock.advance(50);
    check.mockImplementation(() => Promise.resolve(undefined));
    await clock.advance(50);
    expect(recovered).toHaveBeenCalledTimes(1);
    for (const outcome of [DOWN, undefined, DOWN, undefined]) {
      check.mockImplementation(() => Promise.resolve(outcome));
      await health.check();
    }
    expect(recovered).toHaveBeenCalledTimes(1);
  });

  it('cause checks that are spread over 5 s where many instances lose them together', async () => {
    const first: number[] = [];
    for (let instance = 0; instance < 10; instance++) {
      const { clock, health, checkedAt } = setUp({ isWatchShared: true, random: () => instance / 10 });
      health.watched('lost', DOWN);
      await clock.advance(5_000);
      first.push(checkedAt[0] ?? Infinity);
    }
    expect(first).toEqual([0, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500]);
  });

  it('tell that the flags are lost, which only a poll that succeeds ends', () => {
    const { health, changes } = setUp();
    health.polled({ kind: 'flags-lost', message: 'none' });
    health.polled(DOWN);
    health.answered();
    expect(changes).toEqual(['flags-lost']);
    health.polled(undefined);
    expect(changes).toEqual(['flags-lost', '']);
  });
});
