import { describe, expect, it, vi } from 'vitest';
import { healthCheck } from '../../../src/remote/wire/health-check.js';
import { failed, type Answer } from '../../../src/model/answer.js';
import type { Failure } from '../../../src/model/failure.js';
import { failedWith } from '../../http/outcomes.fixture.js';
import { DOWN, NO_CREDENTIALS, REJECTED, setUp, UNAVAILABLE } from './healthy.fixture.js';

describe('the health check', () => {
  it('asks an empty flag key in the namespace', async () => {
    const askAtOnce = vi.fn(() => Promise.resolve<readonly Answer[]>([{ kind: 'missing' }]));
    expect(await healthCheck(askAtOnce, 'shop')()).toBeUndefined();
    const question = [{ namespace: 'shop', flag: '', entity: '', attributes: {} }];
    expect(askAtOnce).toHaveBeenCalledExactlyOnceWith(question);
  });

  const unreadable = failedWith('unreadable');
  it.each<[string, readonly Answer[] | Failure, Failure | undefined]>([
    ['fails if the request fails', DOWN, DOWN],
    ['fails if the response is unreadable', [failed(unreadable)], unreadable],
    ['passes if the service could not evaluate the item', [failed(failedWith('item'))], undefined],
  ])('%s', async (_, outcome, expected) => {
    expect(await healthCheck(() => Promise.resolve(outcome), 'x')()).toEqual(expected);
  });
});

describe('an open circuit', () => {
  it('is checked at a random time, after half of openForMs at the earliest', async () => {
    const { clock, ask, checkedAt } = setUp([UNAVAILABLE], { random: () => 0 });
    await ask(3);
    await clock.advance(3_500);
    expect(checkedAt).toEqual([500, 1_500, 3_500]);
  });

  it('doubles the time between checks, up to the longest', async () => {
    const { clock, ask, checkedAt, changes } = setUp();
    await ask(3);
    await clock.advance(15_000);
    expect(checkedAt).toEqual([1_000, 3_000, 7_000, 11_000, 15_000]);
    expect(changes()).toEqual(['circuit-open']);
  });

  it.each<[string, boolean, Failure]>([
    ['a 503', true, failedWith('gateway')],
    ['a 500, as the check concerns no flag', true, failedWith('service-error')],
    ['no connection', true, DOWN],
    ['no credentials to send', true, NO_CREDENTIALS],
    ['a request that was ended', true, failedWith('closed')],
    ['a 404, as the service responds again', false, failedWith('not-found')],
    ['a 401', false, REJECTED],
  ])('after a check that ends with %s, is open: %s', async (_, isOpen, failure) => {
    const { clock, ask, check, service } = setUp();
    await ask(3);
    check.mockResolvedValueOnce(failure);
    await clock.advance(1_000);
    expect(service.refusal() !== undefined).toBe(isOpen);
  });

  it('is still noticed within ten seconds, however long the outage was', async () => {
    const { clock, ask, check, service } = setUp([UNAVAILABLE], {
      breaker: { failures: 3, openForMs: 5_000, maxOpenForMs: 10_000 },
    });
    await ask(3);
    await clock.advance(3_600_000);
    check.mockResolvedValue(undefined);
    await clock.advance(10_000);
    expect(service.refusal()).toBeUndefined();
  });
});

describe('a service that was unreachable, or rejects the credentials', () => {
  it('is checked after 1 s, doubling to 10 s, and does not keep the process alive', async () => {
    const { clock, checkedAt, request } = setUp();
    await request(NO_CREDENTIALS);
    expect([clock.timers('background'), clock.timers('awaited')]).toEqual([1, 0]);
    await clock.advance(45_000);
    expect(checkedAt).toEqual([1, 3, 7, 15, 25, 35, 45].map((seconds) => seconds * 1_000));
  });

  it('is checked at a random time, after half of these delays at the earliest', async () => {
    const { clock, checkedAt, request } = setUp([], { random: () => 0 });
    await request(NO_CREDENTIALS);
    await clock.advance(1_500);
    expect(checkedAt).toEqual([500, 1_500]);
  });

  it('is checked by one check for both if the circuit is open as well', async () => {
    const { clock, ask, checkedAt, request, problems } = setUp();
    await request(NO_CREDENTIALS);
    await clock.advance(600);
    await ask(3);
    expect(problems()).toEqual(['credentials-rejected', 'circuit-open']);
    expect(clock.timers()).toBe(1);
    await clock.advance(2_400);
    expect(checkedAt).toEqual([1_000, 3_000]);
  });

  it('is no longer checked after a request has succeeded', async () => {
    const { clock, request, problems } = setUp();
    await request(NO_CREDENTIALS);
    await request([]);
    expect(problems()).toEqual([]);
    expect(clock.timers()).toBe(0);
  });

  it('changes no state after close, even if a check is under way', async () => {
    const { clock, check, request, changes, service } = setUp();
    const ends: ((failure: undefined) => void)[] = [];
    check.mockReturnValue(new Promise((resolve) => ends.push(resolve)));
    await request(NO_CREDENTIALS);
    await clock.advance(1_000);
    service.close(failedWith('closed'));
    for (const end of ends) end(undefined);
    await clock.settle();
    expect(changes()).toEqual(['credentials-rejected']);
    expect(clock.timers()).toBe(0);
  });
});

describe('the check after the watch is lost', () => {
  it('comes at once where each instance polls for itself', async () => {
    const { service, clock, checkedAt, problems } = setUp([], { random: () => 0.9 });
    service.watched('lost', DOWN);
    await clock.advance(0);
    expect(checkedAt).toEqual([0]);
    expect(problems()).toEqual(['unreachable', 'circuit-open', 'watch-lost']);
    service.close(DOWN);
  });

  it('is spread over 5 s where many instances lose it together, who report that at once', async () => {
    const checkedAt: number[] = [];
    for (let instance = 0; instance < 10; instance++) {
      const random = () => instance / 10;
      const { service, clock, problems, ...its } = setUp([], { isWatchShared: true, random });
      service.watched('lost', DOWN);
      expect(problems()).toEqual(['watch-lost']);
      await clock.advance(5_000);
      expect(problems()).toEqual(['unreachable', 'circuit-open', 'watch-lost']);
      checkedAt.push(its.checkedAt[0] ?? Infinity);
      service.close(DOWN);
    }
    expect(checkedAt).toEqual([0, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500]);
  });
});
