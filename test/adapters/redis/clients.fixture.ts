import { Redis as Redis6 } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { Redis as Valkey } from 'iovalkey';
import { createClient as createClient6 } from 'redis';
import { createClient as createClient5 } from 'redis5';
import type {
  NodeRedisClient,
  PositionalRedisClient,
  RedisClient,
} from '../../../src/adapters/redis/index.js';

export interface OpenClient {
  readonly client: RedisClient;
  /** Closes the client in the way that docs/operating.md recommends. */
  readonly close: () => void;
  /** Closes the client after it has sent what it still has to send. */
  readonly quit: () => Promise<unknown>;
}

type Connect = (path: string) => Promise<OpenClient>;

const ignored = () => undefined;

type NodeRedis = NodeRedisClient & {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): void;
  close(): Promise<unknown>;
};

const nodeRedis =
  (create: (options: { socket: { path: string; tls: false } }) => NodeRedis): Connect =>
  async (path) => {
    const client = create({ socket: { path, tls: false } });
    client.on('error', ignored);
    await client.connect();
    return {
      client,
      close: () => {
        client.destroy();
      },
      quit: () => client.close(),
    };
  };

type Positional = PositionalRedisClient & {
  on(event: 'error', listener: () => void): unknown;
  ping(): Promise<unknown>;
  disconnect(): void;
  quit(): Promise<unknown>;
};

/** For ioredis and iovalkey, which connect by themselves. */
const positional =
  (Client: new (path: string) => Positional): Connect =>
  async (path) => {
    const client = new Client(path);
    client.on('error', ignored);
    await client.ping();
    return {
      client,
      close: () => {
        client.disconnect();
      },
      quit: () => client.quit(),
    };
  };

/** Each client library, connected to the server with this socket. */
export const CLIENTS: readonly (readonly [string, Connect])[] = [
  ['redis 6', nodeRedis(createClient6)],
  ['redis 5', nodeRedis(createClient5)],
  ['ioredis 6', positional(Redis6)],
  ['ioredis 5', positional(Redis5)],
  ['iovalkey', positional(Valkey)],
];
