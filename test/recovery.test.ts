import { describe, expect, it, vi } from 'vitest';
import type { Ailment } from '../src/health.js';
import type { Answer, Failure } from '../src/model.js';
import { recovery } from '../src/recovery.js';
import type { Reached } from '../src/service/reach.js';
import { manualClock } from './clock.js';

const REFUSED: Failure = { kind: 'status', status: 401, message: 'no' };
const NO_CREDENTIALS: Failure = { kind: 'credentials', message: 'no file' };
const UNREADABLE: Failure = { kind: 'unreadable', message: 'HTML' };
const DOWN: Failure = { kind: 'connection', message: 'refused' };

function setUp() {
  const clock = manualClock();
  const ailing = new Set<Ailment>();
  const greet = vi.fn<() => Promise<Reached>>(() => Promise.resolve(DOWN));
  const reached = vi.fn();
  const health = {
    ail: (ailment: Ailment) => void ailing.add(ailment),
    heal: (...ailments: readonly Ailment[]) => {
      for (const ailment of ailments) ailing.delete(ailment);
    },
    has: (ailment: Ailment) => ailing.has(ailment),
  };
  const recovering = recovery({ health, greet, reached }, clock, () => 1);
  const outcome = vi.fn<() => Promise<readonly Answer[] | Failure>>();
  const ask = recovering.observed(outcome);
  const asking = async (what: readonly Answer[] | Failure, times = 1) => {
    outcome.mockResolvedValue(what);
    for (let time = 0; time < times; time++) expect(await ask([])).toBe(what);
  };
  return { clock, ailing, greet, reached, asking, ...recovering };
}

describe('what comes of requests', () => {
  it.each<[string, Failure]>([
    ['a refusal of the credentials', REFUSED],
    ['credentials that cannot be had', NO_CREDENTIALS],
  ])('%s is an ailment, and the service is greeted until it answers', async (_, failure) => {
    const { clock, ailing, greet, reached, asking } = setUp();
    await asking(failure, 3);
    expect([...ailing]).toEqual(['refused']);
    expect(clock.timers('background')).toBe(1);
    await clock.advance(1_000);
    expect(greet).toHaveBeenCalledOnce();
    greet.mockResolvedValue(undefined);
    await clock.advance(2_000);
    expect(reached).toHaveBeenCalledOnce();
    expect(ailing.size).toBe(0);
    expect(clock.timers()).toBe(0);
  });

  it('a success heals what it disproves, and ends the greeting', async () => {
    const { clock, ailing, asking, ail } = setUp();
    ail('unreached', DOWN);
    await asking([]);
    expect(ailing.size).toBe(0);
    expect(clock.timers()).toBe(0);
  });

  it('ten useless answers in a row are an ailment, nine are not', async () => {
    const { ailing, asking } = setUp();
    await asking(UNREADABLE, 9);
    await asking([]);
    await asking(UNREADABLE, 9);
    expect(ailing.size).toBe(0);
    await asking(UNREADABLE);
    expect([...ailing]).toEqual(['unusable']);
    await asking([]);
    expect(ailing.size).toBe(0);
  });

  it('an outage is for the circuit breaker to judge', async () => {
    const { ailing, asking } = setUp();
    await asking(DOWN, 30);
    await asking({ kind: 'status', status: 503, message: 'down' }, 30);
    expect(ailing.size).toBe(0);
  });

  it('is no matter once it is closed', async () => {
    const { clock, ailing, asking, ail, close } = setUp();
    ail('unreached', DOWN);
    close();
    expect(clock.timers()).toBe(0);
    ailing.clear();
    await asking(REFUSED);
    ail('unreached', DOWN);
    expect(ailing.size).toBe(0);
    expect(clock.timers()).toBe(0);
  });
});
