import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { redisStore } from '../../src/redis/index.js';
import { countedService } from '../servers/counted-service.fixture.js';
import { redisCluster, type RedisCluster } from './cluster.fixture.js';
import { noRedis } from './redis.fixture.js';

const POLL_MS = 500;
const until = (wished: () => unknown) => vi.waitFor(wished, { timeout: 60_000, interval: 20 });
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.skipIf(noRedis !== undefined)('instances with a Redis Cluster that read from a replica', () => {
  let cluster: RedisCluster;
  let service: Awaited<ReturnType<typeof countedService>>;
  const ends: (() => Promise<unknown>)[] = [];

  const instance = async () => {
    const { host, port } = cluster.master;
    const redis = new Cluster([{ host, port }], { scaleReads: 'slave' }).on('error', () => undefined);
    await redis.ping();
    const warnings: string[] = [];
    const warn = (message: string) => {
      if (message.startsWith('The shared store')) warnings.push(message);
    };
    const quiet = () => undefined;
    const provider = new FliptProvider({
      url: service.url,
      evaluation: 'in-process',
      watch: { pollMs: POLL_MS },
      snapshot: { store: redisStore(redis, { key: 'a{}b{c}' }) },
      logger: { error: quiet, warn, info: quiet, debug: quiet },
    });
    await provider.initialize();
    ends.push(async () => {
      await provider.onClose();
      redis.disconnect();
    });
    const states: string[] = [];
    const state = async () => {
      const { value } = await provider.resolveStringEvaluation('state', 'none', {});
      if (states.at(-1) !== value) states.push(value);
      return value;
    };
    return { state, states, warnings };
  };

  beforeAll(async () => {
    cluster = await redisCluster();
    service = await countedService();
  });
  afterAll(async () => {
    await Promise.all(ends.map((end) => end()));
    await service.close();
    await cluster[Symbol.asyncDispose]();
  });

  it('never take its old text for the new snapshot, and read the new one when the replica has it', async () => {
    const instances = await Promise.all(Array.from({ length: 4 }, instance));
    const have = (wanted: number) => async () => {
      const known = await Promise.all(instances.map(({ state }) => state()));
      const count = known.filter((state) => state === String(service.service.state)).length;
      expect(count).toBeGreaterThanOrEqual(wanted);
    };
    await until(have(4));
    service.service.state++;
    await until(have(4));
    const { whole } = service.counts;

    cluster.lag();
    service.service.state++;
    // The holder knows the change. The others look again and again, and go on with what they have.
    await until(have(1));
    await until(() => {
      expect(cluster.master.command('GET {a{}b{c}}:snapshot')).toContain('"etag":"state-3"');
    });
    // More than one look of each.
    await new Promise((resolve) => setTimeout(resolve, 4 * POLL_MS));
    const known = await Promise.all(instances.map(({ state }) => state()));
    expect(known.filter((state) => state === String(service.service.state))).toHaveLength(1);

    cluster.follow();
    await until(have(4));
    // One more whole snapshot, for all.
    expect(service.counts.whole - whole).toBe(1);
    for (const { states, warnings } of instances) {
      expect(states).toEqual(['1', '2', '3']);
      expect(warnings).toEqual([]);
    }
  });
});
