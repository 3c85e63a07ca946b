import { ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it, vi } from 'vitest';
import { evaluateAll } from '../../../src/provider/evaluate/evaluate-many.js';
import { frozen, isPoll, NEVER, snapshot, well } from './frozen.fixture.js';

const INTERVAL = 15_000;
/** A Flipt that offers no snapshots. */
const withoutSnapshots = (enabled: boolean) => (request: Parameters<typeof isPoll>[0]) =>
  isPoll(request) ? 404 : well(enabled)(request);
/** A flag of a newer Flipt, beside one that can be read. */
const withUnreadable = {
  namespace: { key: 'default' },
  flags: [...snapshot(true).flags, { key: 'new', type: 'NEWER_FLAG_TYPE', enabled: true }],
};

describe('a provider without a background', () => {
  it('is ready at once: its start sends nothing, and starts no timer', async () => {
    const { life, clock, service } = frozen({}, well(true));
    expect(await life.start()).toBeUndefined();
    expect([life.status().condition, service.requests.length, clock.timers()]).toEqual(['ready', 0, 0]);
  });

  it('polls with the first call, and evaluates all others from that snapshot', async () => {
    const { life, resolve, ended, polls, questions, clock } = frozen({}, well(true));
    expect(await ended(resolve())).toMatchObject({ answer: { enabled: true }, source: 'in-process' });
    expect(life.running()?.evaluate('on', { targetingKey: 'b' })).toMatchObject({
      answer: { enabled: true },
    });
    expect([polls(), questions(), clock.timers()]).toEqual([1, 0, 0]);
  });

  it('polls first when that is due, so that the call itself sees the change', async () => {
    const { resolve, ended, service, clock, polls } = frozen({}, well(true));
    await ended(resolve());
    service.answering = well(false);
    await clock.advance(INTERVAL - 1);
    expect((await ended(resolve())).answer).toMatchObject({ enabled: true });
    await clock.advance(1);
    expect((await ended(resolve())).answer).toMatchObject({ enabled: false });
    expect([polls(), clock.timers()]).toEqual([2, 0]);
  });

  it('says that an answer comes from the snapshot of the options if Flipt, which has none, does not answer', async () => {
    const initial = { ...snapshot(true), confirmedAt: '2020-01-01T00:00:00.000Z' };
    const { resolve, ended, service } = frozen({ snapshot: { initial } }, withoutSnapshots(false));
    await ended(resolve());
    expect(await ended(resolve())).toMatchObject({ source: 'service', answer: { enabled: false } });
    service.answering = () => 503;
    expect(await ended(resolve())).toMatchObject({
      source: 'in-process',
      stale: true,
      ageMs: expect.any(Number) as number,
      answer: { enabled: true },
    });
  });

  it('asks for each caller by itself where Flipt offers no snapshots, and leaves no timer behind', async () => {
    const { resolve, ended, questions, clock } = frozen({}, withoutSnapshots(true));
    await ended(resolve());
    const all = await ended(Promise.all([resolve('a'), resolve('a'), resolve('b')]));
    expect(all.map(({ answer }) => answer)).toMatchObject([true, true, true].map((enabled) => ({ enabled })));
    expect([questions(), clock.timers()]).toEqual([4, 0]);
  });

  it('asks for a flag that the snapshot cannot answer, and the others need no request', async () => {
    const { life, resolve, ended, questions } = frozen({}, (request) =>
      isPoll(request) ? withUnreadable : well(true)(request),
    );
    await ended(resolve());
    const asked = ended(Promise.resolve(life.running()?.evaluate('new', { targetingKey: 'a' })));
    expect(await asked).toMatchObject({ answer: { enabled: true }, source: 'service' });
    await ended(resolve('b'));
    expect(questions()).toBe(1);
  });

  it('gives half of deadlineMs to a silent poll, and the other half to the question', async () => {
    const { resolve, clock, service } = frozen({ deadlineMs: 300 }, () => NEVER);
    const resolved = resolve();
    await clock.advance(150);
    expect(service.requests.map(isPoll)).toEqual([true, false]);
    expect(service.requests.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    await clock.advance(150);
    expect((await resolved).answer).toMatchObject({ failure: { kind: 'deadline' } });
    expect(service.requests.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(clock.timers()).toBe(0);
  });

  it('evaluates from the snapshot if a poll is silent, and leaves that poll to refresh', async () => {
    const { resolve, refresh, ended, clock, service, polls } = frozen({}, well(true));
    await ended(resolve());
    await clock.advance(INTERVAL);
    service.answering = () => NEVER;
    const resolved = resolve();
    await clock.advance(500);
    expect((await ended(resolved)).answer).toMatchObject({ enabled: true });
    await ended(resolve());
    expect(polls()).toBe(2);
    service.answering = well(false);
    await ended(refresh());
    expect((await ended(resolve())).answer).toMatchObject({ enabled: false });
    expect([polls(), clock.timers()]).toEqual([3, 0]);
  });

  it('polls again when the time of a call is over that its runtime has ended', async () => {
    const { resolve, ended, abandoned, polls, clock } = frozen({}, well(true));
    await abandoned(resolve);
    clock.block(INTERVAL);
    expect((await ended(resolve())).answer).toMatchObject({ enabled: true });
    expect(polls()).toBe(2);
  });

  it('waits for the first snapshot of another call, and asks by itself if that comes too late', async () => {
    const { resolve, clock, polls, questions, abandoned, ended } = frozen({}, well(true));
    await abandoned(resolve);
    const resolved = resolve('b');
    await clock.advance(499);
    expect(questions()).toBe(0);
    await clock.advance(10);
    expect((await ended(resolved)).answer).toMatchObject({ enabled: true });
    // The other call goes on here: its runtime has ended it, but the test has not.
    expect([polls(), questions(), clock.timers()]).toEqual([1, 2, 0]);
  });

  it('evaluates all flags from the snapshot that it polls for', async () => {
    const { ended, life, clock, polls } = frozen({}, well(true));
    const all = () => ended(evaluateAll(life.open(), { targetingKey: 'a' }, undefined, clock));
    expect(await all()).toMatchObject({ on: { value: true } });
    expect(await all()).toMatchObject({ on: { value: true } });
    expect([polls(), clock.timers()]).toEqual([1, 0]);
  });

  it('polls for prefetch and explain, which need the snapshot', async () => {
    const first = frozen({}, well(true));
    await first.ended(first.life.open().prefetch(['on', 'other'], {}));
    const second = frozen({}, well(true));
    const explained = await second.ended(second.life.open().explain('on', { targetingKey: 'a' }));
    expect(explained).toMatchObject({ flag: 'on' });
    for (const { polls, questions } of [first, second]) expect([polls(), questions()]).toEqual([1, 0]);
  });

  it('says that the credentials are rejected, and that they are accepted again, with a call', async () => {
    const { resolve, ended, life, events, service, clock } = frozen({}, () => 401);
    const announced = vi.fn();
    events.addHandler(ProviderEvents.Error, announced);
    await life.start();
    await clock.settle();
    expect((await ended(resolve())).answer).toMatchObject({ failure: { kind: 'unauthorized' } });
    expect([life.status().condition, life.status().problems]).toEqual(['error', ['credentials-rejected']]);
    expect(announced).toHaveBeenCalledOnce();
    service.answering = well(true);
    life.forget();
    await ended(resolve());
    expect([life.status().condition, life.status().problems]).toEqual(['ready', []]);
  });

  it('sends nothing after the close, and ends what is under way', async () => {
    const { resolve, ended, life, service, clock } = frozen({}, () => NEVER);
    const running = life.running();
    const resolved = resolve();
    await clock.settle();
    await ended(life.close());
    expect((await ended(resolved)).answer).toMatchObject({ failure: { kind: 'closed' } });
    expect(service.requests.map(({ signal }) => signal.aborted)).toEqual([true]);
    await ended(Promise.resolve(running?.evaluate('on', {})));
    expect([service.requests.length, clock.timers()]).toEqual([1, 0]);
  });
});

describe('without a background, 2,000 resolves at once are all right', () => {
  const users = Array.from({ length: 2_000 }, (_, at) => `user-${at}`);

  it.each([
    ['before the first snapshot', false, [1, 0]],
    ['when a poll is due', true, [2, 0]],
  ])('%s, with one poll', async (_, isOpen, requests) => {
    const its = frozen({}, async (request) => {
      await new Promise<void>((done) => its.clock.after(20, done));
      return well(true)(request);
    });
    const { resolve, clock } = its;
    if (isOpen) {
      const opened = resolve();
      await clock.advance(20);
      await opened;
      await clock.advance(INTERVAL);
    }
    const resolved = Promise.all(users.map(resolve));
    await clock.advance(100);
    const all = await resolved;
    expect(all.filter(({ answer }) => answer.kind === 'boolean' && answer.enabled)).toHaveLength(2_000);
    expect([its.polls(), its.questions()]).toEqual(requests);
    expect(clock.timers()).toBe(0);
  });

  it('where Flipt offers no snapshots, with a request each', async () => {
    const { resolve, ended, questions, clock } = frozen({}, withoutSnapshots(true));
    const resolved = Promise.all(users.map(resolve));
    await clock.advance(100);
    const all = await ended(resolved);
    expect(all.filter(({ answer }) => answer.kind === 'boolean')).toHaveLength(2_000);
    expect([questions(), clock.timers()]).toEqual([2_000, 0]);
  });
});
