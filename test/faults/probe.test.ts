import { expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.js';
import { breakerGuard } from '../../src/availability/circuit-breaker.js';
import type { Reply, Send } from '../../src/http/reply.js';
import { manualClock } from '../clock.fixture.js';
import { replied } from '../http/outcomes.fixture.js';

/* Who probes first, a call or the breaker itself, is a matter of microseconds: here by a clock that is turned by hand. */

const SETTINGS = { failures: 1, openForMs: 1_000, maxOpenForMs: 8_000 };
const REQUEST = { method: 'POST', path: '/', repeatable: true } as const;
const REFUSED: Failure = { kind: 'connection', message: 'refused' };

function openBreaker() {
  const clock = manualClock();
  const events: string[] = [];
  const outcomes: (Reply | Failure)[] = [REFUSED];
  const probes: (Failure | undefined)[] = [];
  let sent = 0;
  let probed = 0;
  const send: Send = async () => {
    sent++;
    return outcomes.shift() ?? replied(200);
  };
  const guard = breakerGuard(SETTINGS, clock, {
    probe: async () => {
      probed++;
      return probes.shift();
    },
    opened: () => events.push('opened'),
    closed: () => events.push('closed'),
  });
  const call = () => guard.guarded(send)(REQUEST);
  /** A call that comes just as the probe is due, before the breaker's own. */
  const callWhenDue = (ms: number) => {
    clock.after(ms, () => void call());
  };
  return {
    clock,
    events,
    outcomes,
    probes,
    call,
    callWhenDue,
    guard,
    sent: () => sent,
    probed: () => probed,
  };
}

it('a call that comes when a probe is due is the probe', async () => {
  const { clock, events, callWhenDue, call, sent, probed } = openBreaker();
  callWhenDue(1_000);
  await call();
  await clock.advance(1_000);
  expect([sent(), probed()]).toEqual([2, 0]);
  expect(events).toEqual(['opened', 'closed']);
});

it('a call that is answered 500 proves nothing, for its flag may be broken: the breaker asks for none, and believes that', async () => {
  for (const [own, expected] of [
    [undefined, ['opened', 'closed']],
    [{ kind: 'service-error', message: 'broken' }, ['opened']],
    [REFUSED, ['opened']],
  ] as const) {
    const { clock, events, outcomes, probes, callWhenDue, call, probed } = openBreaker();
    outcomes.push(replied(500));
    probes.push(own);
    callWhenDue(1_000);
    await call();
    await clock.advance(1_000);
    expect(probed()).toBe(1);
    expect(events).toEqual(expected);
  }
});

it('doubles the time between probes, up to the most', async () => {
  const { clock, probes, call, probed } = openBreaker();
  probes.push(...Array.from({ length: 10 }, () => REFUSED));
  await call();
  const times: number[] = [];
  for (let ms = 0; ms < 40_000; ms += 500) {
    const before = probed();
    await clock.advance(500);
    if (probed() > before) times.push(clock.now());
  }
  expect(times).toEqual([1_000, 3_000, 7_000, 15_000, 23_000, 31_000, 39_000]);
});

it('sends nothing before a probe is due, and has no timer once it is closed', async () => {
  const { clock, call, sent, guard } = openBreaker();
  await call();
  await clock.advance(999);
  expect(await call()).toMatchObject({
    kind: 'circuit-open',
    message: expect.stringContaining('refused') as string,
  });
  expect(sent()).toBe(1);
  guard.close();
  await clock.advance(60_000);
  expect(clock.timers()).toBe(0);
});
