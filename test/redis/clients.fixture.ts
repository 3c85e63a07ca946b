import { Redis as Redis6 } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { Redis as Valkey } from 'iovalkey';
import { createClient as createClient6 } from 'redis';
import { createClient as createClient5 } from 'redis5';
import type { RedisClient } from '../../src/redis/index.js';

export interface OpenClient {
  readonly client: RedisClient;
  readonly close: () => void;
}

const ignored = () => undefined;

/** Each client library, connected. */
export const CLIENTS: readonly (readonly [string, (url: string) => Promise<OpenClient>])[] = [
  [
    'redis 6',
    async (url) => {
      const client = createClient6({ url }).on('error', ignored);
      await client.connect();
      return {
        client,
        close: () => {
          client.destroy();
        },
      };
    },
  ],
  [
    'redis 5',
    async (url) => {
      const client = createClient5({ url }).on('error', ignored);
      await client.connect();
      return {
        client,
        close: () => {
          client.destroy();
        },
      };
    },
  ],
  [
    'ioredis 6',
    async (url) => {
      const client = new Redis6(url).on('error', ignored);
      await client.ping();
      return {
        client,
        close: () => {
          client.disconnect();
        },
      };
    },
  ],
  [
    'ioredis 5',
    async (url) => {
      const client = new Redis5(url).on('error', ignored);
      await client.ping();
      return {
        client,
        close: () => {
          client.disconnect();
        },
      };
    },
  ],
  [
    'iovalkey',
    async (url) => {
      const client = new Valkey(url).on('error', ignored);
      await client.ping();
      return {
        client,
        close: () => {
          client.disconnect();
        },
      };
    },
  ],
];
