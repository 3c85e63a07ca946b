import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../src/http/reply.js';
import type { Failure } from '../../../src/model/failure.js';
import { failedWith, replied, REQUEST } from '../../http/outcomes.fixture.js';
import { setUp, UNAVAILABLE } from './healthy.fixture.js';

describe('the circuit breaker', () => {
  it('opens after so many failures in a row, and then sends nothing', async () => {
    const { service, ask, sent, states, changes } = setUp();
    await ask(2);
    expect(service.refusal()).toBeUndefined();
    await ask(3);
    expect(sent).toHaveLength(3);
    expect([states, changes()]).toEqual([['open'], ['circuit-open']]);
    expect(service.refusal()).toEqual({
      kind: 'circuit-open',
      message: 'the circuit is open: no requests are sent after repeated failures; the last: status 503',
    });
  });

  it.each<[string, Reply | Failure]>([
    ...[200, 400, 401, 403, 404, 500].map((status): [string, Reply] => [`status ${status}`, replied(status)]),
    ...(['closed', 'credentials', 'unreadable'] as const).map((kind): [string, Failure] => [
      kind,
      failedWith(kind),
    ]),
  ])('does not open for %s', async (_, outcome) => {
    const { service, ask } = setUp([outcome]);
    await ask(30);
    expect(service.refusal()).toBeUndefined();
  });

  it.each<[string, Reply | Failure]>([
    ...[408, 429, 502, 503, 504].map((status): [string, Reply] => [`status ${status}`, replied(status)]),
    ...(['connection', 'timeout'] as const).map((kind): [string, Failure] => [kind, failedWith(kind)]),
  ])('opens for %s', async (_, outcome) => {
    const { service, ask } = setUp([outcome]);
    await ask(3);
    expect(service.refusal()).toBeDefined();
  });

  it('opens for a failure that is reported as the service’s own', () => {
    const { service } = setUp();
    for (let time = 0; time < 3; time++)
      service.serviceFailed({ kind: 'service-error', message: 'all fails' });
    expect(service.refusal()?.message).toContain('the last: all fails');
  });

  it('is half-open while a check is under way, and still sends nothing', async () => {
    const { clock, service, check, checkedAt, guarded, ask, sent, states } = setUp();
    await ask(3);
    check.mockReturnValue(new Promise(() => undefined));
    await clock.advance(999.9);
    expect(checkedAt).toEqual([]);
    await clock.advance(0.1);
    expect(checkedAt).toHaveLength(1);
    expect(states).toEqual(['open', 'half-open']);
    expect(service.refusal()).toBeDefined();
    expect(await guarded(REQUEST)).toMatchObject({ kind: 'circuit-open' });
    expect(sent).toHaveLength(3);
    await clock.advance(60_000);
    expect(checkedAt, 'one check at a time').toHaveLength(1);
  });

  it('closes when the check passes, and leaves no timer', async () => {
    const { clock, service, check, ask, states, changes } = setUp();
    await ask(3);
    check.mockResolvedValue(undefined);
    await clock.advance(1_000);
    expect(service.refusal()).toBeUndefined();
    expect(states).toEqual(['open', 'half-open', 'closed']);
    expect(changes()).toEqual(['circuit-open', '']);
    expect(clock.timers()).toBe(0);
  });

  it('is checked in the background, so that a process may end', async () => {
    const { clock, ask } = setUp();
    await ask(3);
    expect([clock.timers('background'), clock.timers('awaited')]).toEqual([1, 0]);
  });

  it('leaves no timer after close, and reports nothing more', async () => {
    const { clock, service, ask, changes, states } = setUp();
    await ask(3);
    service.close(failedWith('closed'));
    expect(clock.timers()).toBe(0);
    await clock.advance(60_000);
    expect([changes(), states]).toEqual([['circuit-open'], ['open']]);
  });

  it('lets everything pass if it is turned off', async () => {
    const { clock, service, ask, sent } = setUp([UNAVAILABLE], { breaker: undefined });
    await ask(30);
    service.serviceFailed(failedWith('service-error'));
    expect(service.refusal()).toBeUndefined();
    expect(sent).toHaveLength(30);
    expect(clock.timers()).toBe(0);
  });
});
