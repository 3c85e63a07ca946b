import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { checkOptions } from '../../options/check-options.js';
import type { SharedSnapshot, SnapshotPlace, SnapshotStore } from '../../options/snapshot-store.js';
import { filledText, optionRules } from '../../options/value-rules.js';
import { commandsOf, type RedisClient, type RedisCommands } from './redis-client.js';

export interface RedisStoreOptions {
  /** The beginning of the names of all keys. Default: made from the address, the environment and the namespace. */
  readonly key?: string | undefined;
}

/**
 * Keeps the snapshot in Redis, for one instance or a whole fleet, of which one instance at a time polls Flipt. The client
 * stays yours: connect it before, and close it after the provider.
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): SnapshotStore {
  const commands = commandsOf(client);
  checkOptions(optionRules('redisStore', { key: v.optional(filledText('the name of a key')) }), options);
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
