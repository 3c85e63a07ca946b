import { describe, expect, it, vi } from 'vitest';
import type { Failure } from '../../../src/model/failure.js';
import { failedWith } from '../../http/outcomes.fixture.js';
import { DOWN, NO_CREDENTIALS, REJECTED, setUp } from './healthy.fixture.js';

const UNREADABLE: Failure = { kind: 'unreadable', message: 'HTML' };

describe('a 401 or 403', () => {
  const FORBIDDEN: Failure = { kind: 'forbidden', message: 'not this user' };
  const refused = { kind: 'refused-request', message: 'not this user' };
  const observed = (setup: ReturnType<typeof setUp>, ...outcomes: (Failure | readonly [])[]) => {
    const send = vi.fn(() => Promise.resolve(outcomes.shift() ?? []));
    return { send, ask: () => setup.service.observed(send)([]) };
  };

  it('is the failure of the request if a check accepts the credentials, and changes no state', async () => {
    const setup = setUp();
    setup.check.mockResolvedValue(undefined);
    const { ask, send } = observed(setup, FORBIDDEN);
    expect(await ask()).toEqual(refused);
    expect(send).toHaveBeenCalledOnce();
    expect(setup.changes()).toEqual([]);
    expect(setup.clock.timers()).toBe(0);
  });

  it('concerns the credentials if the check is rejected as well', async () => {
    const setup = setUp();
    setup.check.mockResolvedValue(REJECTED);
    const { ask } = observed(setup, FORBIDDEN);
    expect(await ask()).toBe(FORBIDDEN);
    expect(setup.problems()).toEqual(['credentials-rejected']);
  });

  it('proves nothing if the check fails for another reason', async () => {
    const setup = setUp();
    const { ask } = observed(setup, FORBIDDEN);
    expect(await ask()).toBe(FORBIDDEN);
    expect(setup.changes()).toEqual([]);
  });

  it('is sent again, once, if the check has refreshed the credentials', async () => {
    const setup = setUp();
    setup.check.mockImplementation(() => {
      setup.changeCredentials();
      return Promise.resolve(undefined);
    });
    expect(await observed(setup, FORBIDDEN, []).ask()).toEqual([]);
    await setup.clock.advance(1_000);
    const again = observed(setup, FORBIDDEN, FORBIDDEN);
    expect(await again.ask()).toEqual(refused);
    expect(again.send).toHaveBeenCalledTimes(2);
  });

  it('of a 401 is sent again in any case: one instance of many may have given the 401', async () => {
    const setup = setUp();
    setup.check.mockResolvedValue(undefined);
    expect(await observed(setup, REJECTED, []).ask()).toEqual([]);
    expect(await observed(setup, REJECTED, REJECTED).ask()).toEqual({ ...refused, message: 'no' });
  });

  it('costs one check for concurrent requests, and none within a second after a passed check', async () => {
    const setup = setUp();
    setup.check.mockResolvedValue(undefined);
    const ask = () => observed(setup, FORBIDDEN).ask();
    await Promise.all([ask(), ask(), ask()]);
    await setup.clock.advance(999);
    await ask();
    expect(setup.checkedAt).toEqual([0]);
    await setup.clock.advance(1);
    await ask();
    expect(setup.checkedAt).toEqual([0, 1_000]);
  });

  it('costs no check while the credentials are known to be rejected', async () => {
    const setup = setUp();
    setup.check.mockResolvedValue(REJECTED);
    for (let time = 0; time < 5; time++) await observed(setup, FORBIDDEN).ask();
    expect(setup.checkedAt).toEqual([0]);
  });
});

describe('whole requests', () => {
  it('keep their outcomes', async () => {
    const { service } = setUp();
    for (const outcome of [[], DOWN]) {
      expect(await service.observed(() => Promise.resolve(outcome))([])).toBe(outcome);
    }
  });

  it.each<[string, Failure]>([
    ['rejected credentials', REJECTED],
    ['credentials that cannot be had', NO_CREDENTIALS],
  ])('with %s are one problem, and the service is checked until it answers', async (_, failure) => {
    const { clock, check, checkedAt, changes, request } = setUp();
    check.mockResolvedValue(failure);
    await request(failure, 3);
    expect(changes()).toEqual(['credentials-rejected']);
    checkedAt.length = 0;
    await clock.advance(1_000);
    expect(checkedAt).toHaveLength(1);
    check.mockResolvedValue(undefined);
    await clock.advance(2_000);
    expect(changes()).toEqual(['credentials-rejected', '']);
    expect(clock.timers()).toBe(0);
  });

  it('that are unusable ten times in a row are a problem, nine are not', async () => {
    const { changes, clock, request } = setUp();
    await request(UNREADABLE, 9);
    await request([]);
    await clock.advance(5_000);
    await request(UNREADABLE, 9);
    expect(changes()).toEqual([]);
    await request(UNREADABLE);
    expect(changes()).toEqual(['responses-unusable']);
    await request([]);
    expect(changes()).toEqual(['responses-unusable', '']);
  });

  it('that are unusable are no problem while others are usable every few seconds', async () => {
    const { changes, clock, request } = setUp();
    for (let time = 0; time < 20; time++) {
      await request([]);
      await clock.advance(4_999);
      await request(UNREADABLE, 100);
    }
    expect(changes()).toEqual([]);
  });

  it('for parts of a batch that has failed say nothing if a question may be the cause', async () => {
    const { changes, service } = setUp();
    const failing = async (failure: Failure) => {
      const ask = service.observed(() => Promise.resolve(failure), true);
      for (let time = 0; time < 10; time++) await ask([]);
    };
    await failing({ kind: 'rejected-request', message: 'status 400' });
    await failing({ kind: 'service-error', message: 'status 500' });
    expect(changes()).toEqual([]);
    await failing(UNREADABLE);
    expect(changes()).toEqual(['responses-unusable']);
  });

  it('that are unusable are not reported while the service is unreachable', async () => {
    const { clock, check, changes, service, request } = setUp();
    const useless: Failure = { kind: 'not-found', message: 'no such path' };
    check.mockResolvedValue(useless);
    void service.start(50);
    await clock.advance(50);
    await request(useless, 30);
    expect(changes()).toEqual(['unreachable']);
  });

  it('that fail in an outage change only the circuit breaker', async () => {
    const { changes, request } = setUp();
    await request(DOWN, 30);
    await request(failedWith('gateway'), 30);
    expect(changes()).toEqual([]);
  });

  it('change nothing after close', async () => {
    const { clock, changes, request, service } = setUp();
    service.close(failedWith('closed'));
    await request(REJECTED);
    expect(changes()).toEqual([]);
    expect(clock.timers()).toBe(0);
  });
});
