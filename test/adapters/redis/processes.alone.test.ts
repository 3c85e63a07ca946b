import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../eventually.fixture.js';
import { countedService } from '../../servers/counted-service.fixture.js';
import { memberProgram, started, type Member } from './fleet.fixture.js';
import { noRedis, redisServer, type RedisServer } from './redis.fixture.js';

const SIZE = 8;
const POLL_MS = 500;
// Starting so many processes is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const until = (wished: () => unknown) => eventually(wished, 'long');

describe.skipIf(noRedis !== undefined)(`${SIZE} processes, one Redis, one service`, () => {
  let redis: RedisServer;
  let service: Awaited<ReturnType<typeof countedService>>;
  let members: Member[] = [];
  let removeProgram: () => Promise<void>;

  const startOne = () => started({ url: service.url, redis: redis.socket, pollMs: POLL_MS });
  const allIn = (state: number) =>
    until(() => {
      expect(new Set(members.map(({ states }) => states.at(-1)))).toEqual(new Set([state]));
    });
  /** The process that polls, and so holds the lease. */
  const holding = async () => {
    let holder: Member | undefined;
    await until(() => {
      holder = members.find(({ process }) => process.pid === service.counts.lastPoller);
      expect(holder).toBeDefined();
    });
    if (holder === undefined) throw new Error('nobody polls');
    return holder;
  };
  const leaseHolder = async () => (await redis.text(leaseKey())).split(' ')[0] ?? '';
  const leaseKey = () => `flipt:{${service.url}||default}:lease`;
  const pollsWithin = async (ms: number) => {
    const before = service.counts.polls;
    await pause(ms);
    return service.counts.polls - before;
  };
  const expectOnlyForward = () => {
    for (const { states } of members) expect(states).toEqual([...states].sort((one, other) => one - other));
  };

  beforeAll(async () => {
    removeProgram = await memberProgram();
    redis = await redisServer();
    service = await countedService();
    members = Array.from({ length: SIZE }, startOne);
    await allIn(1);
  });
  afterAll(async () => {
    await Promise.all(members.map(({ kill }) => kill()));
    await service.close();
    await redis[Symbol.asyncDispose]();
    await removeProgram();
  });

  it('poll the service once an interval in all, and fetch one whole snapshot in all after a change', async () => {
    const polls: number[] = [];
    const whole: number[] = [];
    // On a busy machine, the holder may lose its lease before it has written its result.
    while (!(whole.includes(1) && Math.min(...polls) <= 10) && whole.length < 20) {
      polls.push(await pollsWithin(6 * POLL_MS));
      const before = service.counts.whole;
      service.service.state++;
      await allIn(service.service.state);
      whole.push(service.counts.whole - before);
    }
    expect(whole).toContain(1);
    expect(Math.min(...polls)).toBeLessThanOrEqual(10);
  });

  it('have another holder after each death of one, and never go back', async () => {
    for (let death = 0; death < 3; death++) {
      const holder = await holding();
      await holder.kill();
      members = [...members.filter((member) => member !== holder), startOne()];
      service.service.state++;
      await until(async () => {
        expect(await leaseHolder()).not.toBe('');
        // Not by the lease before: on a busy machine, it may have changed hands since the last poll.
        expect(service.counts.lastPoller).not.toBe(holder.process.pid);
      });
      await allIn(service.service.state);
    }
    expectOnlyForward();
  });

  it('poll the service by themselves without Redis, fail no resolve, and have one holder again with it', async () => {
    await Promise.all(members.map(({ failures }) => failures()));
    await redis.kill();
    service.service.state++;
    await allIn(service.service.state);
    const failed = await Promise.all(members.map(({ failures }) => failures()));
    expect(new Set(failed)).toEqual(new Set([0]));
    await redis.restart();
    await until(async () => {
      expect(await leaseHolder()).not.toBe('');
    });
    // Each notices at its next look.
    await until(async () => (await pollsWithin(4 * POLL_MS)) <= 8);
    service.service.state++;
    await allIn(service.service.state);
    expectOnlyForward();
  });
});
