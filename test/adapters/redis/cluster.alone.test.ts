import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FliptProvider } from '../../../src/index.js';
import { redisStore } from '../../../src/adapters/redis/index.js';
import type { SnapshotStore } from '../../../src/index.js';
import { countedService } from '../../servers/counted-service.fixture.js';
import { redisCluster, type RedisCluster } from './cluster.fixture.js';
import { eventually, PATIENT } from '../../eventually.fixture.js';
import { limitsOfCalls } from './patience.fixture.js';
import { untimedRequests } from '../../servers/untimed.fixture.js';
import { noRedis } from './redis.fixture.js';

const POLL_MS = 500;
const dispatcher = untimedRequests();
const until = (wished: () => unknown) => eventually(wished, 'long');
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/**
 * The holder keeps its lease, however busy the machine is: another one would fetch a whole snapshot, too. `onLook` is
 * called whenever the instance looks for a new snapshot.
 */
function withLongLease(store: SnapshotStore, onLook: () => void): SnapshotStore {
  return {
    ...store,
    shared(place) {
      const shared = store.shared!(place);
      return {
        ...shared,
        turn(holder, leaseMs) {
          onLook();
          return shared.turn(holder, leaseMs > 0 ? 600_000 : 0);
        },
      };
    },
  };
}

describe.skipIf(noRedis !== undefined)('instances with a Redis Cluster that read from a replica', () => {
  let cluster: RedisCluster;
  let service: Awaited<ReturnType<typeof countedService>>;
  const ends: (() => Promise<unknown>)[] = [];

  const instance = async () => {
    const { host, port } = cluster.master;
    const redis = new Cluster([{ host, port }], { scaleReads: 'slave' }).on('error', () => undefined);
    await redis.ping();
    let looks = 0;
    const store = withLongLease(redisStore(redis, { key: 'a{}b{c}' }), () => looks++);
    const warnings: string[] = [];
    const warn = (message: string) => {
      if (message.startsWith('The shared store')) warnings.push(message);
    };
    const quiet = () => undefined;
    const provider = new FliptProvider({
      url: service.url,
      ...PATIENT,
      http: { ...PATIENT.http, dispatcher },
      evaluation: 'in-process',
      watch: { pollMs: POLL_MS },
      snapshot: { store },
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
    /** Resolves when the instance has looked as many times again, and has taken what it found. */
    const looked = (times: number) => {
      const before = looks;
      // An instance takes what it has found before it looks again.
      return until(() => looks > before + times);
    };
    return { state, states, warnings, looked };
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
    limitsOfCalls();
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
    await Promise.all(instances.map(({ looked }) => looked(2)));
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
