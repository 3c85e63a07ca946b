import { systemClock } from '../../base/time/clock.js';
import { isObject, isPromiseLike, kindOf } from '../../base/text/describe.js';

/**
 * The part of a client of `redis` (node-redis 5 and 6) that is used. Nobody waits for a command longer than 1 s, for a
 * text 5 s.
 */
export interface NodeRedisClient {
  /** The value of a key, or `null`. */
  get(key: string): Promise<unknown>;
  /** Sets the value of a key. The value does not expire. */
  set(key: string, value: string): Promise<unknown>;
  /** Runs a script that changes several keys in one step. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Whether it is connected. The store recognises the client by this member. */
  readonly isReady: boolean;
}

/**
 * The part of a client of `ioredis` (5.3 and 6) or `iovalkey` that is used. Nobody waits for a command longer than 1 s,
 * for a text 5 s.
 */
export interface PositionalRedisClient {
  /** The value of a key, or `null`. */
  get(key: string): Promise<unknown>;
  /** Sets the value of a key. The value does not expire. */
  set(key: string, value: string): Promise<unknown>;
  /** Runs a script that changes several keys in one step. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Not called. The store recognises the client by this member. */
  defineCommand(name: string, definition: { lua: string }): unknown;
}

/**
 * A connected client of yours. The store sends commands with it, and never closes it. After the close of the provider,
 * end it with `destroy()` of `redis`, or `disconnect()` of the others: they wait for nothing.
 */
export type RedisClient = NodeRedisClient | PositionalRedisClient;

/** The commands that the store needs. */
export interface RedisCommands {
  readonly get: (key: string) => Promise<unknown>;
  readonly set: (key: string, text: string) => Promise<unknown>;
  /** Runs a script in one step. */
  readonly run: (script: string, keys: string[], args: string[]) => Promise<unknown>;
}

/**
 * The commands that the store needs, the same for every client. Throws a TypeError if it is not one of these clients.
 *
 * A command is sent when the last one is answered and the client is online. Few wait here, because a provider sends few
 * while one of its own is under way. Texts wait for texts alone: they are large, and another provider's lease would
 * expire behind them.
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

/** Less than the provider waits for a command. */
const CONNECTED_WITHIN_MS = 800;
const LOOK_AGAIN_MS = 20;

/**
 * Rejects if the client is not connected soon. The client itself would queue a command for as long as Redis is gone, and
 * its `close` or `quit` would wait for that.
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

/** What a client does not say counts as connected: a cluster of node-redis, another library with the same members. */
function isConnected(client: RedisClient): boolean {
  if ('status' in client && isPositional(client))
    return client.status === 'ready' || client.status === 'wait';
  return !('isReady' in client) || client.isReady;
}

const CLIENT = 'a client of redis (node-redis), ioredis or iovalkey';

/** The needed commands that are missing. */
function missingIn(client: Partial<Record<keyof NodeRedisClient, unknown>>): readonly string[] {
  const commands = { get: client.get, set: client.set, eval: client.eval };
  return Object.entries(commands).flatMap(([name, command]) => (typeof command === 'function' ? [] : [name]));
}

function isPositional(client: object): client is PositionalRedisClient {
  return 'defineCommand' in client;
}

/** The client of a cluster has `isOpen` instead of `isReady`. */
function isNodeRedis(client: object): client is NodeRedisClient {
  return 'isReady' in client || 'isOpen' in client;
}

/** Describes the argument, to help users who pass the wrong part of a library. */
function wordsFor(client: unknown): string {
  if (isPromiseLike(client)) return 'a promise: await it';
  if (!isObject(client)) return kindOf(client);
  const missing = missingIn(client);
  return missing.length > 0 ? `an object without ${missing.join(', ')}` : 'another client';
}
