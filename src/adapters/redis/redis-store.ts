import * as v from 'valibot';
import { checkOptions } from '../../options/check-options.js';
import { filledText, optionRules } from '../../options/value-rules.js';
import { MOST_SNAPSHOT_BYTES } from '../../snapshot/stores/snapshot-size.js';
import type { SharedSnapshot, SnapshotPlace, SnapshotStore } from '../../options/snapshot-store.js';
import { commandsOf, type RedisClient, type RedisCommands } from './redis-client.js';
import { LENGTH, PUBLISH, RELEASE, TURN } from './scripts.js';

/** The options of {@link redisStore}. A wrong or unknown option causes a TypeError that names the option. */
export interface RedisStoreOptions {
  /**
   * The text with which all keys of this store in Redis begin. If the text has no Redis hash tag, the store adds one,
   * usually by putting the text into braces. Set `key` only if the store serves a single combination of `url`,
   * `namespace` and `environment`. By default, the beginning of the keys contains the `url`, `namespace` and
   * `environment` of the provider, so that one store can serve many providers.
   */
  readonly key?: string | undefined;
}

/**
 * Creates a store that saves Flipt's snapshot in Redis (tested with Redis 7.0), for the option `snapshot: { store }`.
 * Many instances of your app can share the snapshot: while Redis works, usually only one instance at a time polls
 * Flipt, and the other instances read the snapshot from Redis. You connect the client with your own settings, and you
 * close it; the store never connects or closes the client. For the store, the client's user in Redis needs permission
 * for `GET`, `SET` and `EVAL`, and for the other commands in the store's scripts: `DEL`, `HMGET`, `HSET`, `INCR`,
 * `PEXPIRE`, `PTTL`, `STRLEN` and `TIME`. The client can come from `redis` 5 or 6, `ioredis` 5.3 or newer, or
 * `iovalkey`. Throws a TypeError if `client` lacks a method that the store needs, or if an option is wrong.
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
  checkOptions(optionRules('redisStore', { key: v.optional(filledText('the name of a key')) }), options);
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

/**
 * All keys for one snapshot get the same hash tag, so that a Redis cluster keeps these keys on one node: a script can
 * only use keys of one node.
 */
function keysFor(key: string): KeyOf {
  const tagged = [key, `{${key}}`].find((name) => HASH_TAG.test(name)) ?? `{flipt}${key}`;
  return (part) => `${tagged}:${part}`;
}

/**
 * By Redis's rule, the hash tag of a key is the text between the first opening brace and the next closing brace, if
 * there is any text between these braces.
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
    // A record that cannot be read counts as missing, and the next holder of the lease overwrites it.
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
