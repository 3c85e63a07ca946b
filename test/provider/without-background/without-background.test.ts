import { describe, expect, it } from 'vitest';
import { evaluateAll } from '../../../src/provider/evaluate/evaluate-many.js';
import { frozen, NEVER, well } from './frozen.fixture.js';

describe('a provider without a background', () => {
  it.each([
    ['with a watch', {}],
    ['with a reference, and so without a watch', { reference: 'main' }],
  ])('%s is ready at once: its start sends nothing, and starts no timer', async (_, options) => {
    const { life, clock, service } = frozen(options, well(true));
    expect(await life.start()).toBeUndefined();
    expect([life.status().condition, service.requests.length, clock.timers()]).toEqual(['ready', 0, 0]);
  });

  it.each([
    ['', {}],
    [', also with a reference', { reference: 'main' }],
  ])('asks for each caller by itself, and leaves no timer behind%s', async (_, options) => {
    const { resolve, ended, questions, clock } = frozen(options, well(true));
    const all = await ended(Promise.all([resolve(), resolve(), resolve()]));
    expect(all.map(({ answer }) => answer)).toMatchObject([true, true, true].map((enabled) => ({ enabled })));
    expect([questions(), clock.timers()]).toEqual([3, 0]);
    await ended(resolve());
    expect(questions()).toBe(3);
  });

  it('is not kept by a caller that its runtime has ended', async () => {
    const { resolve, ended, abandoned } = frozen({}, well(true));
    await abandoned(resolve);
    expect((await ended(resolve())).answer).toMatchObject({ enabled: true });
  });

  it('ends a request with its only caller, at the deadline', async () => {
    const { resolve, clock, service } = frozen({ deadlineMs: 300 }, () => NEVER);
    const resolved = resolve();
    await clock.advance(300);
    expect((await resolved).answer).toMatchObject({ failure: { kind: 'deadline' } });
    expect([service.requests[0]?.signal.aborted, clock.timers()]).toEqual([true, 0]);
  });

  it('asks again for a stale answer, which nothing would refresh; if that fails, the answer is used', async () => {
    const cache = { freshForMs: 1_000, staleForMs: 60_000 };
    const { resolve, ended, clock, service } = frozen({ cache }, well(true));
    await ended(resolve());
    await clock.advance(2_000);
    service.answering = well(false);
    expect((await ended(resolve())).answer).toMatchObject({ enabled: false });
    await clock.advance(2_000);
    service.answering = () => 503;
    expect(await ended(resolve())).toMatchObject({ answer: { enabled: false }, stale: true });
  });

  it('evaluates all flags from a snapshot only: without one, nothing would bring it in time', async () => {
    const { refresh, ended, life, clock } = frozen({}, well(true));
    const all = () => ended(evaluateAll(life.open(), { targetingKey: 'a' }, undefined, clock));
    await expect(all()).rejects.toThrow('there is no snapshot');
    await ended(refresh());
    expect(await all()).toMatchObject({ on: { value: true } });
    expect(clock.timers()).toBe(0);
  });

  it('does not keep an answer that was forgotten while it was under way', async () => {
    const { resolve, ended, life, questions } = frozen({}, well(true));
    const resolved = resolve();
    life.forget();
    await ended(resolved);
    await ended(resolve());
    expect(questions()).toBe(2);
  });
});

describe('without a background, the circuit', () => {
  it('opens, lets one call through when the time is over, and closes when that succeeds', async () => {
    const breaker = { failures: 1, openForMs: 1_000, maxOpenForMs: 8_000 };
    const { resolve, ended, clock, service, questions } = frozen({ breaker, cache: false }, () => 503);
    await ended(resolve());
    await ended(resolve());
    expect([questions(), clock.timers()]).toEqual([1, 0]);

    // The trial fails: open for twice as long, shortened by half at most.
    await clock.advance(500);
    await ended(Promise.all([resolve(), resolve()]));
    expect(questions()).toBe(2);
    await clock.advance(999);
    await ended(resolve());
    expect(questions()).toBe(2);

    service.answering = well(true);
    await clock.advance(1);
    expect((await ended(resolve())).answer).toMatchObject({ enabled: true });
    expect((await ended(resolve())).answer).toMatchObject({ enabled: true });
    expect([questions(), clock.timers()]).toEqual([4, 0]);
  });

  it('opens without a check, also soon after an answer: nobody would wait for the check', async () => {
    const breaker = { failures: 2, openForMs: 1_000, maxOpenForMs: 8_000 };
    const { resolve, ended, service, questions } = frozen({ breaker, cache: false }, well(true));
    await ended(resolve());
    service.answering = () => 503;
    for (let call = 0; call < 3; call++) await ended(resolve());
    expect(questions()).toBe(3);
  });

  it('lets another call through if its runtime ends the one that tried', async () => {
    const breaker = { failures: 1, openForMs: 1_000, maxOpenForMs: 8_000 };
    const { resolve, ended, clock, service, abandoned } = frozen({ breaker, cache: false }, () => 503);
    await ended(resolve());
    clock.block(500);
    await abandoned(resolve);
    service.answering = well(true);
    clock.block(499);
    expect((await ended(resolve())).answer).toMatchObject({ kind: 'failed' });
    clock.block(1);
    expect((await ended(resolve())).answer).toMatchObject({ enabled: true });
  });
});
