import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FliptProvider } from '../../../src/index.js';
import { redisStore } from '../../../src/adapters/redis/index.js';
import { CLIENTS, type OpenClient } from './clients.fixture.js';
import { countedService } from '../../servers/counted-service.fixture.js';
import { eventually, PATIENT } from '../../eventually.fixture.js';
import { limitsOfCalls } from './patience.fixture.js';
import { untimedRequests } from '../../servers/untimed.fixture.js';
import { noRedis, redisServer, type RedisServer } from './redis.fixture.js';

const POLL_MS = 100;
const dispatcher = untimedRequests();
const WORKS = 'the store works again: the snapshot is shared';
const until = (wished: () => unknown) => eventually(wished, 'long');
vi.setConfig({ testTimeout: 60_000 });

/** An instance, and what it has logged about the store. */
async function instance(url: string, { client }: OpenClient) {
  const warnings: string[] = [];
  const warn = (message: string) => {
    // On a busy machine, a short interval may pass without a poll, and the watch logs that.
    if (message.startsWith('the store')) warnings.push(message);
  };
  const ignored = () => undefined;
  const provider = new FliptProvider({
    url,
    ...PATIENT,
    http: { ...PATIENT.http, dispatcher },
    evaluation: 'in-process',
    watch: { pollMs: POLL_MS },
    snapshot: { store: redisStore(client) },
    logger: { error: warn, warn, info: ignored, debug: ignored },
  });
  await provider.initialize();
  const state = async () => {
    const { value, errorCode } = await provider.resolveStringEvaluation('state', 'none', {});
    return errorCode ?? value;
  };
  return { provider, warnings, state };
}

/** The outcome in this turn of the event loop: a resolve that waits for a store would be late. */
const atOnce = (resolving: Promise<string>) =>
  Promise.race([resolving, new Promise((resolve) => setImmediate(resolve, 'late'))]);

describe.skipIf(noRedis !== undefined)('instances with a Redis', () => {
  let redis: RedisServer;
  let service: Awaited<ReturnType<typeof countedService>>;
  let clients: readonly OpenClient[];
  let instances: readonly Awaited<ReturnType<typeof instance>>[];
  let limits: ReturnType<typeof limitsOfCalls>;

  beforeEach(async () => {
    limits = limitsOfCalls();
    redis = await redisServer();
    service = await countedService();
    // Clients of different libraries, because each reports Redis's errors in its own way.
    const opening = CLIENTS.filter(([name]) => /^(redis|ioredis) 6$/.test(name));
    clients = await Promise.all(opening.map(([, open]) => open(redis.socket)));
    instances = await Promise.all(clients.map((client) => instance(service.url, client)));
  });
  afterEach(async () => {
    await Promise.all(instances.map(({ provider }) => provider.onClose()));
    for (const { close } of clients) close();
    await service.close();
    await redis[Symbol.asyncDispose]();
  });

  const command = (line: string) => redis.command(...line.split(' '));
  const recorded = () =>
    /"etag":"[^"]*"/.exec(redis.command('GET', `flipt:{${service.url}||default}:snapshot`))?.[0] ?? '';
  const changed = async () => {
    service.service.state++;
    await until(async () => {
      for (const { state } of instances) expect(await state()).toBe(String(service.service.state));
    });
  };

  it.each<[string, () => unknown, () => unknown, RegExp]>([
    [
      'is full',
      () => command('CONFIG SET maxmemory 1'),
      () => command('CONFIG SET maxmemory 0'),
      /OOM command not allowed/,
    ],
    [
      'has become a replica, which is read-only',
      () => command('REPLICAOF 127.0.0.1 1'),
      () => command('REPLICAOF NO ONE'),
      /READONLY You can't write against a read only replica/,
    ],
    [
      'lets them write no more',
      () => command('ACL SETUSER default -@write'),
      () => command('ACL SETUSER default +@write'),
      /can't run this command|No permissions|NOPERM/,
    ],
    [
      'does not answer',
      () => {
        redis.pause();
        limits.count();
      },
      () => {
        limits.stopCounting();
        redis.resume();
      },
      /no answer within [15]000 ms/,
    ],
  ])(
    'that %s poll by themselves, say so once, and share again when it works',
    async (_, spoil, mend, why) => {
      await changed();
      spoil();
      await until(() => {
        for (const { warnings } of instances) expect(warnings).toEqual([expect.stringMatching(why)]);
      });
      await changed();
      await changed();
      const known = instances.map(({ state }) => atOnce(state()));
      expect(new Set(await Promise.all(known))).toEqual(new Set([String(service.service.state)]));
      mend();
      const before = recorded();
      await until(() => {
        for (const { warnings } of instances) expect(warnings.slice(1)).toEqual([WORKS]);
      });
      await changed();
      expect(recorded()).not.toBe(before);
      for (const { warnings } of instances) expect(warnings).toHaveLength(2);
    },
  );

  it('that has lost everything write it again, and warn of nothing', async () => {
    await changed();
    const before = recorded();
    command('FLUSHALL');
    await until(() => {
      expect(recorded()).toBe(before);
    });
    await changed();
    for (const { warnings } of instances) expect(warnings).toEqual([]);
  });
});
