import type { BatchOptions, BreakerOptions, CacheOptions } from './provider-options.js';
import type { WithDefaults } from './with-defaults.js';
import type { WatchOptions } from './snapshot-options.js';

export const CACHE: WithDefaults<CacheOptions> = {
  freshForMs: 15_000,
  staleForMs: 15_000,
  staleOnErrorForMs: 3_600_000,
  negativeForMs: 5_000,
  maxEntries: 10_000,
  maxBytes: 32 * 1024 * 1024,
};

export const BATCH: WithDefaults<BatchOptions> = {
  maxItems: 50,
  maxBytes: 1024 * 1024,
  maxConcurrent: 8,
  maxWaiting: 10_000,
};

export const BREAKER: WithDefaults<BreakerOptions> = { failures: 3, openForMs: 5_000, maxOpenForMs: 10_000 };

export const WATCH: WithDefaults<WatchOptions> = {
  pollMs: 15_000,
  stream: false,
  maxAgeMs: 600_000,
  background: true,
};

export const DEFAULTS = {
  url: 'http://localhost:8080',
  namespace: 'default',
  targetingKey: 'optional',
  evaluation: 'remote',
  initTimeoutMs: 5_000,
  deadlineMs: 1_000,
  timeoutMs: 500,
  retries: 2,
} as const;
