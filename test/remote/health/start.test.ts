import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/model/events/flipt-event.js';
import type { Failure } from '../../../src/model/failure.js';
import { failedWith } from '../../http/outcomes.fixture.js';
import { DOWN, NO_CREDENTIALS, REJECTED, setUp } from './healthy.fixture.js';

describe('the start', () => {
  it('ends with the first check that passes', async () => {
    const { clock, check, checkedAt, service } = setUp();
    check.mockResolvedValueOnce(DOWN).mockResolvedValueOnce(DOWN).mockResolvedValue(undefined);
    const started = service.start(5_000);
    await clock.advance(300);
    expect(await started).toBeUndefined();
    expect(checkedAt).toEqual([0, 100, 300]);
    expect(clock.timers()).toBe(0);
  });

  it('checks again after 100 ms, doubling, until the time is up, and ends with the last failure', async () => {
    const { clock, checkedAt, service } = setUp();
    const started = service.start(5_000);
    expect(clock.timers('awaited')).toBe(1);
    await clock.advance(5_000);
    expect(await started).toBe(DOWN);
    expect(checkedAt).toEqual([0, 100, 300, 700, 1_500, 3_100]);
    expect([clock.timers('awaited'), clock.timers('background')]).toEqual([0, 1]);
  });

  it('ends at once if the credentials are rejected', async () => {
    const { clock, check, checkedAt, service } = setUp();
    check.mockResolvedValueOnce(DOWN).mockResolvedValue(REJECTED);
    const started = service.start(5_000);
    await clock.advance(100);
    expect(await started).toBe(REJECTED);
    expect(checkedAt).toHaveLength(2);
  });

  it('ends in time with a helpful message if the service is silent', async () => {
    const { clock, check, service } = setUp();
    check.mockReturnValue(new Promise(() => undefined));
    const started = service.start(49.987);
    await clock.advance(50);
    expect(await started).toEqual({
      kind: 'timeout',
      message: 'Flipt did not answer within 50 ms (initTimeoutMs)',
    });
  });

  it.each([0, 150])('can be closed after %s ms, and then does nothing more', async (ms) => {
    const { clock, checkedAt, service } = setUp();
    const started = service.start(5_000);
    await clock.advance(ms);
    const checked = checkedAt.length;
    service.close(failedWith('closed'));
    expect(await started).toEqual(failedWith('closed'));
    await clock.advance(60_000);
    expect(checkedAt).toHaveLength(checked);
    expect(clock.timers()).toBe(0);
  });

  it.each<[Failure, Problem]>([
    [DOWN, 'unreachable'],
    [REJECTED, 'credentials-rejected'],
    [NO_CREDENTIALS, 'credentials-rejected'],
  ])('that ends with %o leaves the problem %s, until a check passes', async (failure, problem) => {
    const { clock, check, service, changes } = setUp();
    check.mockResolvedValue(failure);
    const started = service.start(50);
    await clock.advance(50);
    await started;
    expect(changes()).toEqual([problem]);
    check.mockResolvedValue(undefined);
    await clock.advance(1_000);
    expect(changes()).toEqual([problem, '']);
    expect(clock.timers()).toBe(0);
  });

  it('reports problems as part of the start while it lasts', async () => {
    const { clock, diagnostics, service, ask, request } = setUp();
    const starting: boolean[] = [];
    diagnostics.listen('health-changed', (event) => starting.push(event.starting));
    void service.start(50);
    await ask(3);
    await clock.advance(50);
    await request([]);
    expect(starting).toEqual([true, true, false]);
  });
});
