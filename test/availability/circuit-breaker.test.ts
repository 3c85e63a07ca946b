import { describe, expect, it, vi } from 'vitest';
import type { Failure } from '../../src/model/failure.js';
import { breakerGuard, type BreakerWatch } from '../../src/availability/circuit-breaker.js';
import type { Reply } from '../../src/http/reply.js';
import { manualClock } from '../clock.fixture.js';
import { failedWith, replied, REQUEST, sending } from '../http/outcomes.fixture.js';

const SETTINGS = { failures: 3, openForMs: 1_000, maxOpenForMs: 4_000 };
const DOWN = replied(503);
const OK = replied(200);

function setUp(...outcomes: readonly (Reply | Failure)[]) {
  const clock = manualClock();
  const watch = {
    probe: vi.fn<BreakerWatch['probe']>(() => Promise.resolve(failedWith('connection'))),
    opened: vi.fn<BreakerWatch['opened']>(),
    closed: vi.fn<BreakerWatch['closed']>(),
  };
  const guard = breakerGuard(SETTINGS, clock, watch);
  const { send, sent } = sending(...outcomes);
  const guarded = guard.guarded(send);
  const ask = async (times = 1) => {
    const ended = [];
    for (let time = 0; time < times; time++) ended.push(await guarded(REQUEST));
    return ended;
  };
  return { clock, watch, guard, guarded, ask, sent };
}

describe('the guard', () => {
  it('opens after so many failures in a row, and then sends nothing', async () => {
    const { guard, watch, ask, sent } = setUp(DOWN);
    await ask(2);
    expect(guard.refusal()).toBeUndefined();
    await ask(3);
    expect(sent).toHaveLength(3);
    expect(watch.opened).toHaveBeenCalledExactlyOnceWith({ kind: 'circuit-open', message: 'status 503' });
    expect(guard.refusal()).toEqual({
      kind: 'circuit-open',
      message: 'Flipt is not asked for the moment, after repeated failures; the last: status 503',
    });
  });

  it.each<[string, Reply | Failure]>([
    ...[200, 400, 401, 403, 404, 500].map((status): [string, Reply] => [`status ${status}`, replied(status)]),
    ...(['closed', 'credentials', 'unreadable'] as const).map((kind): [string, Failure] => [
      kind,
      failedWith(kind),
    ]),
  ])('does not open for %s', async (_, outcome) => {
    const { guard, ask } = setUp(outcome);
    await ask(30);
    expect(guard.refusal()).toBeUndefined();
  });

  it.each<[string, Reply | Failure]>([
    ...[408, 429, 502, 503, 504].map((status): [string, Reply] => [`status ${status}`, replied(status)]),
    ...(['connection', 'timeout'] as const).map((kind): [string, Failure] => [kind, failedWith(kind)]),
  ])('opens for %s', async (_, outcome) => {
    const { guard, ask } = setUp(outcome);
    await ask(3);
    expect(guard.refusal()).toBeDefined();
  });

  it('opens for failures that only their context shows to be the service’s', () => {
    const { guard, watch } = setUp(OK);
    for (let time = 0; time < 3; time++) guard.fail({ kind: 'service-error', message: 'all fails' });
    expect(watch.opened).toHaveBeenCalledExactlyOnceWith({ kind: 'circuit-open', message: 'all fails' });
  });

  it('lets one request through as a probe, refuses others meanwhile, and closes if it succeeds', async () => {
    const { clock, guard, watch, guarded, ask, sent } = setUp(DOWN, DOWN, DOWN, OK);
    await ask(3);
    watch.probe.mockReturnValue(new Promise(() => undefined));
    await clock.advance(999);
    expect(guard.refusal()).toBeDefined();
    await clock.advance(0.9);
    expect(watch.probe).not.toHaveBeenCalled();
    await clock.advance(0.1);
    // The timer has probed by itself: nobody else has to.
    expect(watch.probe).toHaveBeenCalledOnce();
    expect(await guarded(REQUEST)).toMatchObject({ kind: 'circuit-open' });
    expect(sent).toHaveLength(3);
  });

  it('closes when its own probe succeeds', async () => {
    const { clock, guard, watch, ask } = setUp(DOWN);
    await ask(3);
    watch.probe.mockResolvedValue(undefined);
    await clock.advance(1_000);
    expect(guard.refusal()).toBeUndefined();
    expect(watch.closed).toHaveBeenCalledOnce();
    expect(clock.timers()).toBe(0);
  });

  it('waits twice as long each time a probe fails', async () => {
    const { clock, watch, ask } = setUp(DOWN);
    await ask(3);
    const probedAt: number[] = [];
    watch.probe.mockImplementation(() => {
      probedAt.push(clock.now());
      return Promise.resolve(failedWith('timeout'));
    });
    await clock.advance(15_000);
    expect(probedAt).toEqual([1_000, 3_000, 7_000, 11_000, 15_000]);
    expect(watch.opened).toHaveBeenCalledOnce();
  });

  it('probes in the background, so that a process may end', async () => {
    const { clock, ask } = setUp(DOWN);
    await ask(3);
    expect([clock.timers('background'), clock.timers('awaited')]).toEqual([1, 0]);
  });

  it('closes when the service was reached by other means', async () => {
    const { clock, guard, watch, ask } = setUp(DOWN);
    await ask(3);
    guard.reached();
    guard.reached();
    expect(guard.refusal()).toBeUndefined();
    expect(watch.closed).toHaveBeenCalledOnce();
    expect(clock.timers()).toBe(0);
  });

  it('leaves no timer when it is closed, and tells nothing more', async () => {
    const { clock, guard, watch, ask } = setUp(DOWN);
    await ask(3);
    guard.close();
    expect(clock.timers()).toBe(0);
    guard.reached();
    expect(watch.closed).not.toHaveBeenCalled();
  });

  it('lets everything pass where there is no breaker', async () => {
    const probe = () => Promise.resolve(undefined);
    const guard = breakerGuard(undefined, manualClock(), { probe, opened: vi.fn(), closed: vi.fn() });
    const { send, sent } = sending(DOWN);
    for (let time = 0; time < 10; time++) await guard.guarded(send)(REQUEST);
    guard.fail(failedWith('service-error'));
    guard.reached();
    guard.close();
    expect(guard.refusal()).toBeUndefined();
    expect(sent).toHaveLength(10);
  });
});

describe('a call that comes when a probe is due', () => {
  /** Due, but the timer has not fired: its callback runs after all others of its time. */
  async function due(probeOutcome: Reply | Failure) {
    const clock = manualClock();
    const probe = vi.fn<BreakerWatch['probe']>(() => new Promise(() => undefined));
    const closed = vi.fn();
    let early = 0;
    const guard = breakerGuard(
      SETTINGS,
      { ...clock, now: () => clock.now() + early },
      { probe, opened: vi.fn(), closed },
    );
    const { send, sent } = sending(DOWN, DOWN, DOWN, probeOutcome);
    const guarded = guard.guarded(send);
    for (let time = 0; time < 3; time++) await guarded(REQUEST);
    early = 1_000;
    return { clock, guard, guarded, probe, closed, sent };
  }

  it('is the probe itself', async () => {
    const { guard, guarded, closed, sent, clock } = await due(OK);
    expect(guard.refusal()).toBeUndefined();
    const [first, second] = await Promise.all([guarded(REQUEST), guarded(REQUEST)]);
    expect(first).toBe(OK);
    expect(second).toMatchObject({ kind: 'circuit-open' });
    expect(sent).toHaveLength(4);
    expect(closed).toHaveBeenCalledOnce();
    expect(clock.timers()).toBe(0);
  });

  it.each<[string, Reply | Failure]>([
    ['fails', DOWN],
    ['is ended by us', failedWith('closed')],
    ['has no credentials', failedWith('credentials')],
  ])('leaves it open if it %s', async (_, outcome) => {
    const { guard, guarded, closed } = await due(outcome);
    await guarded(REQUEST);
    expect(guard.refusal()).toBeDefined();
    expect(closed).not.toHaveBeenCalled();
  });

  it('and ends with a 500 is followed by a probe that concerns no flag', async () => {
    const { guarded, probe, closed, clock } = await due(replied(500));
    probe.mockResolvedValueOnce(undefined);
    await guarded(REQUEST);
    await clock.settle();
    expect(probe).toHaveBeenCalledOnce();
    expect(closed).toHaveBeenCalledOnce();
  });
});
