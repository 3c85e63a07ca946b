import { systemClock } from '../../base/time/clock.js';
import { isObject, isPromiseLike, kindOf } from '../../base/text/describe.js';

/**
 * The members of a `redis` client (node-redis 5 or 6) that the store uses. The provider waits at most 1 s for a Redis
 * command, and at most 5 s for a command that transfers the text of a snapshot.
 */
export interface NodeRedisClient {
  /** Returns the value of a key, or `null` if Redis has no such key. */
  get(key: string): Promise<unknown>;
  /** Sets the value of a key. The value does not expire. */
  set(key: string, value: string): Promise<unknown>;
  /** Runs a Lua script, which can change several keys in one atomic step. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Whether the client is connected. The store recognises a node-redis client by its member `isReady` or `isOpen`. */
  readonly isReady: boolean;
}

/**
 * The members of an `ioredis` (5.3 and 6) or `iovalkey` client that the store uses. The provider waits at most 1 s for
 * a Redis command, and at most 5 s for a command that transfers the text of a snapshot.
 */
export interface PositionalRedisClient {
  /** Returns the value of a key, or `null` if Redis has no such key. */
  get(key: string): Promise<unknown>;
  /** Sets the value of a key. The value does not expire. */
  set(key: string, value: string): Promise<unknown>;
  /** Runs a Lua script, which can change several keys in one atomic step. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** The store never calls this method, but recognises an ioredis client by it. */
  defineCommand(name: string, definition: { lua: string }): unknown;
}

/**
 * A Redis client that you have connected. The store sends commands with this client, and never closes it. After the
 * close of the provider, end the client with `destroy()` (`redis`) or `disconnect()` (`ioredis` and `iovalkey`), which
 * do not wait for commands under way.
 */
export type RedisClient = NodeRedisClient | PositionalRedisClient;

/** The Redis commands that the store needs. */
export interface RedisCommands {
  readonly get: (key: string) => Promise<unknown>;
  readonly set: (key: string, text: string) => Promise<unknown>;
  /** Runs a Lua script, which Redis executes as one atomic step. */
  readonly run: (script: string, keys: string[], args: string[]) => Promise<unknown>;
}

/**
 * Returns the Redis commands that the store needs, with the same arguments for every kind of client. Throws a TypeError
 * if `client` is none of the supported clients.
 *
 * Commands wait in a queue: the store sends a command when the command before it has ended and the client is connected.
 * The queue stays short, because a provider sends few commands while one of its own commands is under way. `get` and
 * `set` have a queue of their own, because they transfer large snapshots. If the script that prolongs a lease waited
 * until another provider with the same client has read a large snapshot, the lease could expire.
 */
export function commandsOf(client: unknown): RedisCommands {
  if (!isObject(client) || missingIn(client).length > 0 || !(isPositional(client) || isNodeRedis(client))) {
    throw new TypeError(`redisStore: client: expected ${CLIENT}, got ${wordsFor(client)}`);
  }
  const ofTexts = lane(client);
  const ofScripts = lane(client);
  return {
    get: (key) => ofTexts(() => client.get(key)),
    set: (key, text) => ofTexts(() => client.set(key, text)),
    run: (script, keys, args) =>
      ofScripts(() =>
        isPositional(client)
          ? client.eval(script, keys.length, ...keys, ...args)
          : client.eval(script, { keys, arguments: args }),
      ),
  };
}

function lane(client: RedisClient): <T>(command: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (command) => {
    const result = last.then(() => whenConnected(client)).then(command);
    last = result.catch(() => undefined);
    return result;
  };
}

/**
 * How many milliseconds the store waits until the client is connected. The store waits for less than the 1 s after
 * which the provider gives up a command, so that the provider reports the store's error and not a time-out.
 */
const CONNECTED_WITHIN_MS = 800;
const LOOK_AGAIN_MS = 20;

/**
 * Resolves when the client is connected, or is an ioredis client that connects at its first command. Rejects if the
 * client does not connect in time. Without this function, a client that is not connected would usually queue the
 * command until Redis is back, and the client's own `close` or `quit` would wait for the command.
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

/**
 * A client that does not tell whether it is connected, such as the client of a cluster in node-redis, counts as
 * connected.
 */
function isConnected(client: RedisClient): boolean {
  if ('status' in client && isPositional(client))
    return client.status === 'ready' || client.status === 'wait';
  return !('isReady' in client) || client.isReady;
}

const CLIENT = 'a client of redis (node-redis), ioredis or iovalkey';

/** Returns the names of the commands that the store needs and that `client` does not have. */
function missingIn(client: Partial<Record<keyof NodeRedisClient, unknown>>): readonly string[] {
  const commands = { get: client.get, set: client.set, eval: client.eval };
  return Object.entries(commands).flatMap(([name, command]) => (typeof command === 'function' ? [] : [name]));
}

function isPositional(client: object): client is PositionalRedisClient {
  return 'defineCommand' in client;
}

/** In node-redis, the client of a cluster has `isOpen` instead of `isReady`. */
function isNodeRedis(client: object): client is NodeRedisClient {
  return 'isReady' in client || 'isOpen' in client;
}

/** Describes, for an error message, what a user has passed instead of a Redis client. */
function wordsFor(client: unknown): string {
  if (isPromiseLike(client)) return 'a promise: await it';
  if (!isObject(client)) return kindOf(client);
  const missing = missingIn(client);
  return missing.length > 0 ? `an object without ${missing.join(', ')}` : 'another client';
}
