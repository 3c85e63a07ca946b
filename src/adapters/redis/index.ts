import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { checkOptions } from '../../options/check-options.js';
import type { SharedSnapshot, SnapshotPlace, SnapshotStore } from '../../options/snapshot-store.js';
import { filledText, optionRules } from '../../options/value-rules.js';
import { clientRules, commandsOf, type RedisClient, type RedisCommands } from './redis-client.js';

export type { NodeRedisClient, PositionalRedisClient, RedisClient } from './redis-client.js';

export interface RedisStoreOptions {
  /**
   * The beginning of the names of all keys. With a `{tag}` in it, a cluster keeps them in one slot, as it does by default.
   * Default: `flipt:{URL|ENVIRONMENT|NAMESPACE}`.
   */
  readonly key?: string | undefined;
}

/**
 * Keeps the snapshot in Redis, for one instance or a whole fleet, of which one instance at a time polls Flipt. The client
 * stays yours: connect it before, and close it after the provider. Throws a TypeError for any other client, and for a
 * wrong or unknown option.
 *
 * @example
 * ```ts
 * import { createClient } from 'redis';
 * import { FliptProvider } from 'openfeature-flipt-provider';
 * import { redisStore } from 'openfeature-flipt-provider/redis';
 *
 * const client = createClient({ url: 'redis://localhost:6379' }).on('error', () => {});
 * await client.connect();
 * const provider = new FliptProvider({
 *   url: 'http://localhost:8080',
 *   evaluation: 'in-process',
 *   snapshot: { store: redisStore(client) },
 * });
 * ```
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): SnapshotStore {
  checkOptions(clientRules, { client });
  checkOptions(optionRules('redisStore', { key: v.optional(filledText('the name of a key')) }), options);
  const commands = commandsOf(client);
  const keyOf = (place: SnapshotPlace) => options.key ?? defaultKey(place);
  return {
    load: (place) => commands.get(`${keyOf(place)}:snapshot`),
    save: (text, place) => commands.set(`${keyOf(place)}:snapshot`, text),
    shared: (place) => sharedIn(commands, keyOf(place)),
  };
}

function defaultKey({ url, environment = '', namespace }: SnapshotPlace): string {
  const parts = [url, environment, namespace].map((part) => part.replace(/[{}|%]/g, encodeURIComponent));
  return `flipt:{${parts.join('|')}}`;
}

function sharedIn({ get, set, setIfAbsent }: RedisCommands, key: string): SharedSnapshot {
  const [lease, heartbeat] = [`${key}:lease`, `${key}:heartbeat`];
  const me = randomUUID();
  return {
    async claim(forMs) {
      if (await setIfAbsent(lease, me, forMs)) return true;
      if ((await get(lease)) !== me) return false;
      await set(lease, me, forMs);
      return true;
    },
    async announce(digest, forMs, text) {
      if (text !== undefined) await set(`${key}:snapshot`, text);
      await set(heartbeat, digest, forMs);
    },
    look: () => get(heartbeat),
  };
}
