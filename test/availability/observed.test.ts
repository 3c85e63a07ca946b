import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.js';
import { failedWith } from '../http/outcomes.fixture.js';
import { DOWN, NO_CREDENTIALS, REJECTED, setUp } from './available.fixture.js';

const UNREADABLE: Failure = { kind: 'unreadable', message: 'HTML' };

describe('whole requests', () => {
  it('are handed on as they end', async () => {
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
    await request(failure, 3);
    expect(changes()).toEqual(['credentials-rejected']);
    await clock.advance(1_000);
    expect(checkedAt).toHaveLength(1);
    check.mockResolvedValue(undefined);
    await clock.advance(2_000);
    expect(changes()).toEqual(['credentials-rejected', '']);
    expect(clock.timers()).toBe(0);
  });

  it('that are unusable ten times in a row are a problem, nine are not', async () => {
    const { changes, request } = setUp();
    await request(UNREADABLE, 9);
    await request([]);
    await request(UNREADABLE, 9);
    expect(changes()).toEqual([]);
    await request(UNREADABLE);
    expect(changes()).toEqual(['responses-unusable']);
    await request([]);
    expect(changes()).toEqual(['responses-unusable', '']);
  });

  it('that are unusable are no news while the service is unreachable', async () => {
    const { clock, check, changes, service, request } = setUp();
    const useless: Failure = { kind: 'not-found', message: 'no such path' };
    check.mockResolvedValue(useless);
    void service.start(50);
    await clock.advance(50);
    await request(useless, 30);
    expect(changes()).toEqual(['unreachable']);
  });

  it('that fail in an outage are for the circuit breaker to judge', async () => {
    const { changes, request } = setUp();
    await request(DOWN, 30);
    await request(failedWith('gateway'), 30);
    expect(changes()).toEqual([]);
  });

  it('change nothing once it is closed', async () => {
    const { clock, changes, request, service } = setUp();
    service.close(failedWith('closed'));
    await request(REJECTED);
    expect(changes()).toEqual([]);
    expect(clock.timers()).toBe(0);
  });
});
