import * as v from 'valibot';
import { checkOptions } from '../../options/check-options.js';
import { filledText, rulesWithoutSecrets } from '../../options/value-rules.js';
import { MOST_SNAPSHOT_BYTES } from '../../snapshot/stores/snapshot-size.js';
import type { SharedSnapshot, SnapshotPlace, SnapshotStore } from '../../options/snapshot-store.js';
import { commandsOf, type RedisClient, type RedisCommands } from './redis-client.js';
import { LENGTH, PUBLISH, RELEASE, TURN } from './scripts.js';

/** The options of {@link redisStore}. A wrong or unknown option causes a TypeError that names the option. */
export interface RedisStoreOptions {
  /**
   * The name that all keys in Redis begin with, for a store that serves one combination of `url`, `namespace` and
   * `environment`. By default, the store makes the name from the `url`, `namespace` and `environment` of the provider,
   * so that one store can serve many providers.
   */
  readonly key?: string | undefined;
}

/**
 * Keeps the snapshot in Redis 7, for the option `snapshot: { store }`, so that many instances share it: one instance
 * polls Flipt, and all other instances read the snapshot from Redis. You connect the client with your own settings, and
 * you close it; the store never connects or closes the client. The client's user in Redis needs permission for `GET`,
 * `SET` and `EVAL`. Throws a TypeError unless `client` is a client of `redis` 5 or 6, `ioredis` 5.3 or newer, or
 * `iovalkey`.
 *
 * @example
 * ```ts
 * import { createClient } from 'redis';
 * import { FliptProvider } from 'openfeature-flipt-provider';
 * import { redisStore } from 'openfeature-flipt-provider/redis';
 *
 * const client = createClient({ url: 'redis://localhost:6379' }).on('error', () => {});
 * await client.connect();
 * const provider = new FliptProvider({ evaluation: 'in-process', snapshot: { store: redisStore(client) } });
 * ```
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): SnapshotStore {
  const commands = commandsOf(client);
  checkOptions(
    rulesWithoutSecrets('redisStore', { key: v.optional(filledText('the name of a key')) }),
    options,
  );
  const keysOf = (place: SnapshotPlace) => keysFor(options.key ?? defaultKey(place));

  return {
    async load(place) {
      const key = keysOf(place)('snapshot');
      const bytes = Number(await commands.run(LENGTH, [key], []));
      if (bytes > MOST_SNAPSHOT_BYTES)
        throw new Error(`${key} has ${bytes} bytes, more than ${MOST_SNAPSHOT_BYTES}`);
      const text = await commands.get(key);
      return text == null ? undefined : textOf(text);
    },
    async save(text, place) {
      await commands.set(keysOf(place)('snapshot'), text);
    },
    shared: (place) => sharedIn(commands, keysOf(place)),
  };
}

type KeyOf = (part: 'lease' | 'fence' | 'record' | 'snapshot') => string;

/** All keys get the same hash tag, because a Redis cluster keeps keys with the same hash tag on one node. */
function keysFor(key: string): KeyOf {
  const tagged = [key, `{${key}}`].find((name) => HASH_TAG.test(name)) ?? `{flipt}${key}`;
  return (part) => `${tagged}:${part}`;
}

/**
 * Redis's rule for a hash tag: the text between the first opening brace and the next closing one, unless it is empty.
 */
const HASH_TAG = /^[^{]*\{[^}]+\}/;

function defaultKey({ url, environment = '', namespace }: SnapshotPlace): string {
  const parts = [url, environment, namespace].map((part) => part.replace(/[{}|%]/g, encodeURIComponent));
  return `flipt:{${parts.join('|')}}`;
}

function sharedIn({ run }: RedisCommands, keyOf: KeyOf): SharedSnapshot {
  const lease = keyOf('lease');
  const record = keyOf('record');
  return {
    async turn(holder, leaseMs) {
      return turnOf(await run(TURN, [lease, keyOf('fence'), record], [holder, String(leaseMs)]));
    },
    async publish({ holder, fence: number, version, confirmedAt, text }) {
      const facts = [holder, String(number), version, String(confirmedAt)];
      const args = text === undefined ? facts : [...facts, text];
      return v.parse(outcomeSchema, textOf(await run(PUBLISH, [lease, record, keyOf('snapshot')], args)));
    },
    async release(holder) {
      await run(RELEASE, [lease], [holder]);
    },
  };
}

const outcomeSchema = v.picklist(['published', 'lost', 'missing']);

const number = v.pipe(v.string(), v.nonEmpty(), v.transform(Number), v.finite());

function turnOf(reply: unknown) {
  const fields: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const [fence, version, confirmedAt, time] = fields.map(textOf);
  const record = v.safeParse(recordSchema, { version, confirmedAt });
  return {
    fence: fence === '' ? undefined : v.parse(number, fence),
    // A record that cannot be read counts as missing. The next holder of the lease overwrites this record.
    record: record.success ? record.output : undefined,
    time: v.parse(number, time),
  };
}

const recordSchema = v.object({
  version: v.pipe(v.string(), v.nonEmpty()),
  confirmedAt: number,
});

/** A client can be configured to return bytes instead of strings. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}
