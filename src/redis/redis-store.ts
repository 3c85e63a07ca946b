import * as v from 'valibot';
import { checkOptions } from '../options/check-options.js';
import { filledText, members } from '../options/option-shapes.js';
import type {
  SharedSnapshot,
  SharedTurn,
  SnapshotPlace,
  SnapshotStore,
} from '../options/snapshot-options.js';
import { commandsOf, type RedisClient, type RedisCommands } from './redis-client.js';
import { PUBLISH, RELEASE, TURN } from './scripts.js';

/** How the store names its keys. */
export interface RedisStoreOptions {
  /**
   * Name of the snapshot's keys, for one `url`, `namespace` and `environment`. Default: made from these three, so that
   * one store serves many providers.
   */
  readonly key?: string | undefined;
}

/**
 * A store in Redis 7 for `snapshot: { store }`, that many instances share: one of them polls Flipt, and all others read
 * what it has found. The client is yours: connected by you, with your settings, and never closed by the store. Needs
 * `GET`, `SET` and `EVAL`. Throws a TypeError for anything but a client of `redis` 5 or 6, `ioredis` 5.3 or newer, or `iovalkey`.
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
  const commands = oneAtATime(commandsOf(client));
  checkOptions(
    { owner: 'redisStore', shape: members({ key: v.optional(filledText('the name of a key')) }) },
    options,
  );
  const keysOf = (place: SnapshotPlace) => keysFor(options.key ?? defaultKey(place));

  return {
    async load(place) {
      const text = await commands.get(keysOf(place).snapshot);
      return text == null ? undefined : textOf(text);
    },
    async save(text, place) {
      await commands.set(keysOf(place).snapshot, text);
    },
    shared: (place) => sharedIn(commands, keysOf(place)),
  };
}

interface Keys {
  readonly lease: string;
  readonly fence: string;
  readonly record: string;
  readonly snapshot: string;
}

/** A hash tag makes a cluster keep all of these keys in one place. */
function keysFor(key: string): Keys {
  const tagged = [key, `{${key}}`].find(hasHashTag) ?? `{flipt}${key}`;
  const named = (name: string) => `${tagged}:${name}`;
  return {
    lease: named('lease'),
    fence: named('fence'),
    record: named('record'),
    snapshot: named('snapshot'),
  };
}

/** As Redis sees it: the part between the first opening brace and the next closing one, unless it is empty. */
function hasHashTag(key: string): boolean {
  const start = key.indexOf('{');
  return start >= 0 && key.indexOf('}', start) > start + 1;
}

function defaultKey({ url, environment = '', namespace }: SnapshotPlace): string {
  const parts = [url, environment, namespace].map((part) => part.replace(/[{}|%]/g, encodeURIComponent));
  return `flipt:{${parts.join('|')}}`;
}

function sharedIn({ run }: RedisCommands, { lease, fence, record, snapshot }: Keys): SharedSnapshot {
  return {
    async turn(holder, leaseMs) {
      return turnOf(await run(TURN, [lease, fence, record], [holder, String(leaseMs)]));
    },
    async publish({ holder, fence: number, version, confirmedAt, fullBodyMs, text }) {
      const facts = [holder, String(number), version, String(confirmedAt), String(fullBodyMs)];
      const args = text === undefined ? facts : [...facts, text];
      return v.parse(outcomeSchema, textOf(await run(PUBLISH, [lease, record, snapshot], args)));
    },
    async release(holder) {
      await run(RELEASE, [lease], [holder]);
    },
  };
}

const outcomeSchema = v.picklist(['published', 'lost', 'missing']);

const number = v.pipe(v.string(), v.nonEmpty(), v.transform(Number), v.finite());

function turnOf(reply: unknown): SharedTurn {
  const fields: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const [fence, version, confirmedAt, fullBodyMs, time] = fields.map(textOf);
  const record = v.safeParse(recordSchema, { version, confirmedAt, fullBodyMs });
  return {
    fence: fence === '' ? undefined : v.parse(number, fence),
    // A record that cannot be read counts as none. The next holder of the lease overwrites it.
    record: record.success ? record.output : undefined,
    time: v.parse(number, time),
  };
}

const recordSchema = v.object({
  version: v.pipe(v.string(), v.nonEmpty()),
  confirmedAt: number,
  fullBodyMs: number,
});

/** A client may be configured to return bytes. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}

/**
 * Sends the next command after the last one is answered. A client that is offline queues its commands, so an outage
 * would otherwise end with a flood of them. Few commands wait here, because a provider sends few while one of its own
 * is under way. Texts wait for texts alone: they are large, and another provider's lease would expire meanwhile.
 */
function oneAtATime({ get, set, run }: RedisCommands): RedisCommands {
  const ofTexts = lane();
  const ofScripts = lane();
  return {
    get: (key) => ofTexts(() => get(key)),
    set: (key, value) => ofTexts(() => set(key, value)),
    run: (script, keys, args) => ofScripts(() => run(script, keys, args)),
  };
}

function lane(): <T>(command: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (command) => {
    const result = last.then(command);
    last = result.catch(() => undefined);
    return result;
  };
}
