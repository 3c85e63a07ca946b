import * as v from 'valibot';
import { hasMethods, optionRules } from '../../options/value-rules.js';

/** What the store uses of a client of `redis` (node-redis 5 or 6). */
export interface NodeRedisClient {
  get(key: string): Promise<{ toString(): string } | null>;
  set(key: string, value: string, options?: { NX?: true; PX?: number }): Promise<unknown>;
  readonly isOpen: boolean;
  /** A cluster or a pool may have no such member, and counts as ready. */
  readonly isReady?: boolean;
}

/** What the store uses of a client of `ioredis` (5.3 and 6) or `iovalkey`. */
export interface PositionalRedisClient {
  get(key: string): Promise<{ toString(): string } | null>;
  set(key: string, value: string): Promise<unknown>;
  set(key: string, value: string, px: 'PX', ms: number): Promise<unknown>;
  set(key: string, value: string, px: 'PX', ms: number, nx: 'NX'): Promise<unknown>;
  readonly status: string;
}

/**
 * A client that you have connected. The store never closes it. After the close of the provider, end it with `destroy()`
 * (`redis`) or `disconnect()` (`ioredis` and `iovalkey`), which do not wait for commands under way.
 */
export type RedisClient = NodeRedisClient | PositionalRedisClient;

export type RedisCommands = ReturnType<typeof commandsOf>;

// The clients of other packages have a `get` and a `set` without these options.
const isRedisClient = (value: unknown): value is RedisClient =>
  hasMethods(value, ['get', 'set']) && ('isOpen' in value || 'status' in value);

export const clientRules = optionRules('redisStore', {
  client: v.custom<RedisClient>(
    isRedisClient,
    'a connected client of redis (node-redis), ioredis or iovalkey',
  ),
});

export function commandsOf(client: RedisClient) {
  return {
    get: async (key: string): Promise<string | undefined> => {
      checkConnected(client);
      const value = await client.get(key);
      return value?.toString();
    },
    set: async (key: string, text: string, forMs?: number): Promise<void> => {
      checkConnected(client);
      if (forMs === undefined) await client.set(key, text);
      else if (isPositional(client)) await client.set(key, text, 'PX', Math.ceil(forMs));
      else await client.set(key, text, { PX: Math.ceil(forMs) });
    },
    /** Whether it was absent. */
    setIfAbsent: async (key: string, text: string, forMs: number): Promise<boolean> => {
      checkConnected(client);
      const ms = Math.ceil(forMs);
      const reply = isPositional(client)
        ? await client.set(key, text, 'PX', ms, 'NX')
        : await client.set(key, text, { NX: true, PX: ms });
      return reply != null;
    },
  };
}

const isPositional = (client: RedisClient): client is PositionalRedisClient => 'status' in client;

/** An ioredis client that is about to connect sends the command then. */
const DISCONNECTED: ReadonlySet<string> = new Set(['reconnecting', 'close', 'disconnecting', 'end']);

/** It would queue the command until Redis is back, and its own `close` or `quit` would wait for that. */
function checkConnected(client: RedisClient): void {
  const isConnected = isPositional(client) ? !DISCONNECTED.has(client.status) : client.isReady !== false;
  if (!isConnected) throw new Error('the client is not connected to Redis');
}
