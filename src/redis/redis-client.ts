import { isPromiseLike, kindOf } from '../text/describe.js';

/** The part of a client of `redis` (node-redis 5 and 6) that is used. */
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

/** The part of a client of `ioredis` (5.3 and 6) or `iovalkey` that is used. */
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

/** A connected client of yours. The store sends commands with it, and never closes it. */
export type RedisClient = NodeRedisClient | PositionalRedisClient;

/** The commands that the store needs, the same for every client. */
export interface RedisCommands {
  readonly get: (key: string) => Promise<unknown>;
  readonly set: (key: string, value: string) => Promise<unknown>;
  readonly run: (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>;
}

/** Throws a TypeError if it is not one of these clients. */
export function commandsOf(client: unknown): RedisCommands {
  if (isPositional(client)) {
    return {
      get: (key) => client.get(key),
      set: (key, value) => client.set(key, value),
      run: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    };
  }
  if (isNodeRedis(client)) {
    return {
      get: (key) => client.get(key),
      set: (key, value) => client.set(key, value),
      run: (script, keys, args) => client.eval(script, { keys: [...keys], arguments: [...args] }),
    };
  }
  throw new TypeError(`redisStore: client: expected ${CLIENT}, got ${wordsFor(client)}`);
}

const CLIENT = 'a client of redis (node-redis), ioredis or iovalkey';

function hasCommands(client: unknown): client is object {
  return typeof client === 'object' && client !== null && missingIn(client).length === 0;
}

/** The needed commands that are missing. */
function missingIn(client: Partial<Record<keyof NodeRedisClient, unknown>>): readonly string[] {
  const commands = { get: client.get, set: client.set, eval: client.eval };
  return Object.entries(commands).flatMap(([name, command]) => (typeof command === 'function' ? [] : [name]));
}

function isPositional(client: unknown): client is PositionalRedisClient {
  return hasCommands(client) && 'defineCommand' in client;
}

/** The client of a cluster has `isOpen` instead of `isReady`. */
function isNodeRedis(client: unknown): client is NodeRedisClient {
  return hasCommands(client) && ('isReady' in client || 'isOpen' in client);
}

/** Describes the argument, to help users who pass the wrong part of a library. */
function wordsFor(client: unknown): string {
  if (isPromiseLike(client)) return 'a promise: await it';
  if (typeof client !== 'object' || client === null) return kindOf(client);
  const missing = missingIn(client);
  return missing.length > 0 ? `an object without ${missing.join(', ')}` : 'another client';
}
