import { AsyncLocalStorage } from 'node:async_hooks';
import {
  NOOP_TRANSACTION_CONTEXT_PROPAGATOR,
  OpenFeature,
  type TransactionContext,
  type TransactionContextPropagator,
} from '@openfeature/server-sdk';
import { afterEach, expect, it } from 'vitest';
import { openRequestView, requestContext, runInTransactionContext } from '../../../src/index.js';

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

it('installs one over OpenFeature’s own that does nothing', () => {
  let seen: TransactionContext = {};
  runInTransactionContext({ targetingKey: 'user' }, () => {
    seen = OpenFeature.getTransactionContext();
  });
  expect(seen).toEqual({ targetingKey: 'user' });
});

it('returns what the callback returns, with its type', async () => {
  const promised: Promise<number> = runInTransactionContext({ targetingKey: 'user' }, async () => {
    await Promise.resolve();
    return Object.keys(OpenFeature.getTransactionContext()).length;
  });
  expect(await promised).toBe(1);
  const text: string = runInTransactionContext({}, () => 'text');
  expect(text).toBe('text');
  const failure = new Error('not today');
  await expect(runInTransactionContext({}, async () => Promise.reject(failure))).rejects.toBe(failure);
});

it("reports a propagator of the user's own that calls back too late to return anything", () => {
  const propagator = propagatorThat((context) => context);
  const set = propagator.setTransactionContext.bind(propagator);
  let calls = 0;
  // The first call only tests whether the propagator returns the context that it was given.
  propagator.setTransactionContext = (context, callback, ...args) => {
    if (calls++ === 0) set(context, callback, ...args);
  };
  OpenFeature.setTransactionContextPropagator(propagator);
  expect(() => runInTransactionContext({ targetingKey: 'user' }, () => 1)).toThrow('did not call back');
});

it.each([
  [undefined, 'undefined'],
  ['pro', 'a string'],
  [[], 'a list'],
  [Promise.resolve({ targetingKey: 'user' }), 'a promise'],
])('requestContext refuses %o as a context: it would be an empty one', (context, got) => {
  expect(() => requestContext(context as never, { view: openRequestView() })).toThrow(
    new TypeError(`context: expected an object such as { targetingKey: … }, got ${got}`),
  );
});

it('a promise in place of a context may reject: that ends no process', async () => {
  const context = Promise.reject(new Error('not today'));
  expect(() => requestContext(context as never, { view: openRequestView() })).toThrow('got a promise');
  await new Promise(setImmediate);
});
