import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FliptProvider } from '../../../src/index.js';
import { redisStore } from '../../../src/adapters/redis/index.js';
import { eventually, PATIENT } from '../../eventually.fixture.js';
import { countedService } from '../../servers/counted-service.fixture.js';
import { CLIENTS, type OpenClient } from './clients.fixture.js';
import { noRedis, redisServer, type RedisServer } from './redis.fixture.js';

const POLL_MS = 100;
const until = (wished: () => unknown) => eventually(wished, 'long');
vi.setConfig({ testTimeout: 60_000 });

type End = 'close' | 'quit';
/** What happens to Redis, and how the client then ends: a client that was asked to wait for a paused Redis waits. */
const TROUBLES: readonly (readonly [string, (redis: RedisServer) => unknown, readonly End[]])[] = [
  ['is stopped', (redis) => redis.kill(), ['close', 'quit']],
  ['is paused', (redis) => redis.pause(), ['close']],
  ['is full', (redis) => redis.command('CONFIG', 'SET', 'maxmemory', '1'), ['close', 'quit']],
];

describe.skipIf(noRedis !== undefined).each(CLIENTS)('a process with %s ends', (_, open) => {
  let redis: RedisServer;
  let service: Awaited<ReturnType<typeof countedService>>;
  let opened: OpenClient;
  beforeEach(async () => {
    redis = await redisServer();
    service = await countedService();
    opened = await open(redis.socket);
  });
  afterEach(async () => {
    // A client that has ended already throws.
    try {
      opened.close();
    } catch {
      // It has.
    }
    await service.close();
    await redis[Symbol.asyncDispose]();
  });

  /** A provider that has used the store, and has found that it fails since. */
  const inTrouble = async (spoil: (redis: RedisServer) => unknown) => {
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    const ignored = () => undefined;
    const provider = new FliptProvider({
      url: service.url,
      ...PATIENT,
      evaluation: 'in-process',
      watch: { pollMs: POLL_MS },
      snapshot: { store: redisStore(opened.client) },
      logger: { error: warn, warn, info: ignored, debug: ignored },
    });
    await provider.initialize();
    await until(() => {
      expect(provider.getStatus().store?.savedAt).not.toBeNull();
    });
    await spoil(redis);
    // A full Redis fails the next write.
    service.service.state++;
    await until(() => {
      expect(warnings).toContainEqual(expect.stringMatching(/^the store could not share the snapshot: /));
    });
    return provider;
  };

  it.each(TROUBLES.flatMap(([what, spoil, ends]) => ends.map((end) => [what, end, spoil] as const)))(
    'when Redis %s: first the provider, then the client by its %s',
    async (__, end, spoil) => {
      const provider = await inTrouble(spoil);
      await provider.onClose();
      expect(provider.getStatus().condition).toBe('closed');
      // Without an end, the test runs out of time.
      await opened[end]();
    },
  );
});
