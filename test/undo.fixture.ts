import { DefaultLogger, NOOP_TRANSACTION_CONTEXT_PROPAGATOR, OpenFeature } from '@openfeature/server-sdk';
import { afterAll, vi } from 'vitest';

/*
 * This runs before each test file that shares its process with others, and undoes after it what would change their
 * tests. Vitest itself restores all spies.
 */

const environment = process.env;
process.env = { ...environment };

// Not after each test: the next one would install another AsyncLocalStorage, which Node never forgets.
afterAll(async () => {
  vi.unstubAllEnvs();
  process.env = environment;
  vi.unstubAllGlobals();
  vi.useRealTimers();
  await OpenFeature.clearProviders();
  OpenFeature.clearHandlers();
  OpenFeature.clearHooks()
    .setContext({})
    .setLogger(new DefaultLogger())
    .setTransactionContextPropagator(NOOP_TRANSACTION_CONTEXT_PROPAGATOR);
});

// A replaced module cannot be put back, because others may have imported it.
vi.mock = vi.doMock = () => {
  throw new Error('a test file that replaces a module needs a process of its own: name it *.alone.test.ts');
};
