import { describe, expect, it, vi } from 'vitest';
import { frozen, NEVER, well } from './frozen.fixture.js';

vi.setConfig({ testTimeout: 30_000 });

const LATENCY_MS = 10;
const users = (count: number) => Array.from({ length: count }, (_, at) => `user-${at}`);

/** A provider without a background, over a service that takes so long for each request. */
function busy(batch: { maxConcurrent?: number; maxWaiting?: number } = {}, latencyMs = LATENCY_MS) {
  const slow = { latencyMs };
  let underWay = 0;
  let mostAtOnce = 0;
  const its = frozen({ batch, cache: false }, async (request) => {
    mostAtOnce = Math.max(mostAtOnce, ++underWay);
    await new Promise<void>((done) => its.clock.after(slow.latencyMs, done));
    underWay--;
    return well(true)(request);
  });
  return { ...its, slow, mostAtOnce: () => mostAtOnce };
}

describe('without a background, many resolves at once', () => {
  it('take 8 × batch.maxConcurrent requests at once, and all have their answers', async () => {
    const { resolve, clock, mostAtOnce, questions } = busy();
    const resolved = Promise.all(users(2_000).map(resolve));
    await clock.advance(1_000);
    const all = await resolved;
    expect(all.filter(({ answer }) => answer.kind === 'boolean')).toHaveLength(2_000);
    expect([questions(), mostAtOnce(), clock.timers()]).toEqual([2_000, 64, 0]);
  });

  it('are refused at once beyond batch.maxWaiting', async () => {
    const { resolve, clock, waiting } = busy({ maxConcurrent: 1, maxWaiting: 5 });
    const resolved = users(20).map(resolve);
    await clock.settle();
    expect(waiting()).toBe(5);
    const refused = await Promise.all(resolved.slice(13));
    for (const { answer } of refused) {
      expect(answer).toMatchObject({ failure: { kind: 'overload', message: /batch\.maxWaiting/ } });
    }
    await clock.advance(100);
    expect((await Promise.all(resolved.slice(0, 13))).map(({ answer }) => answer.kind)).toEqual(
      Array(13).fill('boolean'),
    );
  });

  it('that do not get a turn by their deadline are an overload, and leave nothing behind', async () => {
    const { resolve, clock, waiting } = busy({ maxConcurrent: 1 }, 400);
    const resolved = users(30).map(resolve);
    await clock.advance(1_000);
    const all = await Promise.all(resolved);
    const late = all.flatMap(({ answer }) => (answer.kind === 'failed' ? [answer.failure] : []));
    const overload = late.filter(({ kind }) => kind === 'overload');
    expect(overload.length).toBeGreaterThan(0);
    expect(overload[0]?.message).toMatch(/8 requests are under way \(8 × batch\.maxConcurrent\)/);
    // The service's own timers.
    await clock.advance(400);
    expect([waiting(), clock.timers()]).toEqual([0, 0]);
  });

  it('are not held up by a service that was slow a quarter of a minute ago', async () => {
    const { resolve, clock, slow } = busy({ maxConcurrent: 1 }, 480);
    for (let at = 0; at < 20; at++) {
      const resolved = resolve(`early-${at}`);
      await clock.advance(480);
      await resolved;
    }
    slow.latencyMs = LATENCY_MS;
    await clock.advance(15_000);
    let answered = 0;
    for (const user of users(40)) void resolve(user).then(() => answered++);
    await clock.advance(100);
    expect(answered).toBe(40);
  });

  it('are not held up by those that their runtime has ended, whether under way or waiting', async () => {
    const { resolve, ended, clock, service, abandoned, waiting } = frozen(
      { batch: { maxConcurrent: 1 }, cache: false },
      well(true),
    );
    await abandoned(() => Promise.all(users(8).map(resolve)));
    service.answering = () => NEVER;
    // Their timers never fire, as in a runtime that has ended them.
    const after = vi.spyOn(clock, 'after').mockReturnValue(() => undefined);
    void users(20).map(resolve);
    await clock.settle();
    after.mockRestore();
    expect(waiting()).toBe(20);
    clock.block(1_000);
    service.answering = well(true);
    expect((await ended(resolve())).answer).toMatchObject({ enabled: true });
    expect(waiting()).toBe(0);
  });
});

it('without a background, nothing is sent after the close for those that waited', async () => {
  const { resolve, clock, life, questions } = busy({ maxConcurrent: 1 });
  const resolved = Promise.all(users(20).map(resolve));
  await clock.settle();
  expect(questions()).toBe(8);
  void life.close();
  await clock.advance(1_000);
  for (const { answer } of (await resolved).slice(8)) {
    expect(answer).toMatchObject({ failure: { kind: 'closed' } });
  }
  expect(questions()).toBe(8);
});
