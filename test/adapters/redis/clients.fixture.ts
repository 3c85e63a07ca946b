import { Redis as Redis6 } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { Redis as Valkey } from 'iovalkey';
import { createClient as createClient6 } from 'redis';
import { createClient as createClient5 } from 'redis5';
import type { RedisClient } from '../../../src/adapters/redis/index.js';

export interface OpenClient {
  readonly client: RedisClient;
  /** Closes the client in the way that docs/operating.md recommends. */
  readonly close: () => void;
  /** Closes the client after it has sent what it still has to send. */
  readonly quit: () => Promise<unknown>;
}

const ignored = () => undefined;

/** Each client library, connected to the server with this socket. */
export const CLIENTS: readonly (readonly [string, (path: string) => Promise<OpenClient>])[] = [
  [
    'redis 6',
    async (path) => {
      const client = createClient6({ socket: { path, tls: false } }).on('error', ignored);
      await client.connect();
      return {
        client,
        close: () => {
          client.destroy();
        },
        quit: () => client.close(),
      };
    },
  ],
  [
    'redis 5',
    async (path) => {
      const client = createClient5({ socket: { path, tls: false } }).on('error', ignored);
      await client.connect();
      return {
        client,
        close: () => {
          client.destroy();
        },
        quit: () => client.close(),
      };
    },
  ],
  [
    'ioredis 6',
    async (path) => {
      const client = new Redis6(path).on('error', ignored);
      await client.ping();
      return {
        client,
        close: () => {
          client.disconnect();
        },
        quit: () => client.quit(),
      };
    },
  ],
  [
    'ioredis 5',
    async (path) => {
      const client = new Redis5(path).on('error', ignored);
      await client.ping();
      return {
        client,
        close: () => {
          client.disconnect();
        },
        quit: () => client.quit(),
      };
    },
  ],
  [
    'iovalkey',
    async (path) => {
      const client = new Valkey(path).on('error', ignored);
      await client.ping();
      return {
        client,
        close: () => {
          client.disconnect();
        },
        quit: () => client.quit(),
      };
    },
  ],
];
