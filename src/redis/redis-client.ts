import { kindOf } from '../text/describe.js';

/** The part of a client of `redis` (node-redis 5 and 6) that is used. */
export interface NodeRedisClient {
  /** The value of a key, or `null`. */
  get(key: string): Promise<unknown>;
  /** Sets the value of a key, without an end. */
  set(key: string, value: string): Promise<unknown>;
  /** Runs a script, which changes several keys in one step. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Whether it is connected; by this member it is recognised. */
  readonly isReady: boolean;
}

/** The part of a client of `ioredis` (5 and 6) or `iovalkey` that is used. */
export interface PositionalRedisClient {
  /** The value of a key, or `null`. */
  get(key: string): Promise<unknown>;
  /** Sets the value of a key, without an end. */
  set(key: string, value: string): Promise<unknown>;
  /** Runs a script, which changes several keys in one step. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Not called; by this member it is recognised. */
  defineCommand(name: string, definition: { lua: string }): unknown;
}

/** A connected client of yours. The store sends commands with it, and never closes it. */
export type RedisClient = NodeRedisClient | PositionalRedisClient;

/** The commands that the store needs, whichever the client is. */
export interface RedisCommands {
  readonly get: (key: string) => Promise<unknown>;
  readonly set: (key: string, value: string) => Promise<unknown>;
  readonly run: (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>;
}

/** Throws a TypeError if it is no client of these. */
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

/** Which of its commands are no functions. */
function missingIn(client: Partial<Record<keyof NodeRedisClient, unknown>>): readonly string[] {
  const commands = { get: client.get, set: client.set, eval: client.eval };
  return Object.entries(commands).flatMap(([name, command]) => (typeof command === 'function' ? [] : [name]));
}

function isPositional(client: unknown): client is PositionalRedisClient {
  return hasCommands(client) && 'defineCommand' in client;
}

/** A cluster's client has no `isReady`, but `isOpen`. */
function isNodeRedis(client: unknown): client is NodeRedisClient {
  return hasCommands(client) && ('isReady' in client || 'isOpen' in client);
}

/** What is wrong with it, for those who give the wrong part of a library. */
function wordsFor(client: unknown): string {
  if (client instanceof Promise) return 'a promise: await it';
  if (typeof client !== 'object' || client === null) return kindOf(client);
  const missing = missingIn(client);
  return missing.length > 0 ? `an object without ${missing.join(', ')}` : 'another client';
}
