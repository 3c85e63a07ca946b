export { redisStore, type RedisStoreOptions } from './redis-store.js';
export type { NodeRedisClient, PositionalRedisClient, RedisClient } from './redis-client.js';
