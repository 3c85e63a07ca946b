import { AsyncLocalStorage } from 'node:async_hooks';
import {
  NOOP_TRANSACTION_CONTEXT_PROPAGATOR,
  OpenFeature,
  type TransactionContext,
  type TransactionContextPropagator,
} from '@openfeature/server-sdk';
import { afterEach, expect, it } from 'vitest';
import { runInTransactionContext } from '../src/index.js';

afterEach(() => {
  OpenFeature.setTransactionContextPropagator(NOOP_TRANSACTION_CONTEXT_PROPAGATOR);
});

function propagatorThat(changes: (context: TransactionContext) => TransactionContext) {
  const store = new AsyncLocalStorage<TransactionContext>();
  const propagator: TransactionContextPropagator = {
    getTransactionContext: () => store.getStore() ?? {},
    setTransactionContext: (context, callback, ...args) => {
      store.run(changes(context), callback, ...args);
    },
  };
  return propagator;
}

it.each<[string, (context: TransactionContext) => TransactionContext, TransactionContext]>([
  ['rewrites the targeting key', () => ({ targetingKey: 'hashed' }), { targetingKey: 'hashed' }],
  ['drops the targeting key', () => ({ tenant: 'acme' }), { tenant: 'acme' }],
  ['keeps all', (context) => context, { targetingKey: 'user' }],
])("leaves a propagator of the user's own in place that %s", (_name, changes, expected) => {
  OpenFeature.setTransactionContextPropagator(propagatorThat(changes));
  let seen: TransactionContext = {};
  runInTransactionContext({ targetingKey: 'user' }, () => {
    seen = OpenFeature.getTransactionContext();
  });
  expect(seen).toEqual(expected);
});

it("installs one over OpenFeature's stand-in", () => {
  let seen: TransactionContext = {};
  runInTransactionContext({ targetingKey: 'user' }, () => {
    seen = OpenFeature.getTransactionContext();
  });
  expect(seen).toEqual({ targetingKey: 'user' });
});
