import { systemClock } from '../../base/time/clock.js';
import { isObject, isPromiseLike, kindOf } from '../../base/text/describe.js';

/** What the store uses of a `redis` client (node-redis 5 or 6). */
export interface NodeRedisClient {
  get(key: string): Promise<unknown>;
  set(key: string, value: string, options?: { NX?: true; PX?: number }): Promise<unknown>;
  /** By this member or `isOpen`, the store recognises node-redis. */
  readonly isReady: boolean;
}

/** What the store uses of an `ioredis` (5.3 and 6) or `iovalkey` client. */
export interface PositionalRedisClient {
  get(key: string): Promise<unknown>;
  set(key: string, value: string): Promise<unknown>;
  set(key: string, value: string, px: 'PX', ms: number): Promise<unknown>;
  set(key: string, value: string, px: 'PX', ms: number, nx: 'NX'): Promise<unknown>;
  /** Never called: by this member, the store recognises ioredis. */
  defineCommand(name: string, definition: { lua: string }): unknown;
}

/**
 * A client that you have connected. The store never closes it. After the close of the provider, end it with `destroy()`
 * (`redis`) or `disconnect()` (`ioredis` and `iovalkey`), which do not wait for commands under way.
 */
export type RedisClient = NodeRedisClient | PositionalRedisClient;

export interface RedisCommands {
  readonly get: (key: string) => Promise<string | undefined>;
  readonly set: (key: string, text: string, forMs?: number) => Promise<void>;
  /** Whether it was absent. */
  readonly setIfAbsent: (key: string, text: string, forMs: number) => Promise<boolean>;
}

/** Throws a TypeError for any other client. */
export function commandsOf(client: unknown): RedisCommands {
  if (!isObject(client) || missingIn(client).length > 0 || !(isPositional(client) || isNodeRedis(client))) {
    throw new TypeError(`redisStore: client: expected ${CLIENT}, got ${wordsFor(client)}`);
  }
  return {
    async get(key) {
      await whenConnected(client);
      const value = await client.get(key);
      return value == null ? undefined : textOf(value);
    },
    async set(key, text, forMs) {
      await whenConnected(client);
      if (forMs === undefined) await client.set(key, text);
      else if (isPositional(client)) await client.set(key, text, 'PX', Math.ceil(forMs));
      else await client.set(key, text, { PX: Math.ceil(forMs) });
    },
    async setIfAbsent(key, text, forMs) {
      await whenConnected(client);
      const ms = Math.ceil(forMs);
      const reply = isPositional(client)
        ? await client.set(key, text, 'PX', ms, 'NX')
        : await client.set(key, text, { NX: true, PX: ms });
      return reply != null;
    },
  };
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}

/** Less than the 1 s after which the provider gives up a command, so that it reports this error and no time-out. */
const CONNECTED_WITHIN_MS = 800;
const LOOK_AGAIN_MS = 20;

/**
 * A client without a connection would queue the command until Redis is back, and its own `close` or `quit` would wait
 * for it. An ioredis client may connect at its first command.
 */
async function whenConnected(client: RedisClient): Promise<void> {
  const until = systemClock.now() + CONNECTED_WITHIN_MS;
  while (!isConnected(client)) {
    if (systemClock.now() >= until) throw new Error('the client is not connected to Redis');
    await new Promise<void>((resolve) => {
      systemClock.after(LOOK_AGAIN_MS, resolve, 'background');
    });
  }
}

/** The client of a cluster in node-redis does not tell, and counts as connected. */
function isConnected(client: RedisClient): boolean {
  if ('status' in client && isPositional(client))
    return client.status === 'ready' || client.status === 'wait';
  return !('isReady' in client) || client.isReady;
}

const CLIENT = 'a client of redis (node-redis), ioredis or iovalkey';

function missingIn(client: Partial<Record<keyof NodeRedisClient, unknown>>): readonly string[] {
  const commands = { get: client.get, set: client.set };
  return Object.entries(commands).flatMap(([name, command]) => (typeof command === 'function' ? [] : [name]));
}

function isPositional(client: object): client is PositionalRedisClient {
  return 'defineCommand' in client;
}

/** In node-redis, the client of a cluster has `isOpen` instead of `isReady`. */
function isNodeRedis(client: object): client is NodeRedisClient {
  return 'isReady' in client || 'isOpen' in client;
}

function wordsFor(client: unknown): string {
  if (isPromiseLike(client)) return 'a promise: await it';
  if (!isObject(client)) return kindOf(client);
  const missing = missingIn(client);
  return missing.length > 0 ? `an object without ${missing.join(', ')}` : 'another client';
}
