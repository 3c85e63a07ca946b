/* Run in a consumer: whether a provider keeps the AsyncLocalStorage of the request that uses it first, without a start. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { FliptProvider } from 'openfeature-flipt-provider';

/** Turns of the event loop, each with a garbage collection: far more than a load needs to end. */
const TURNS = 100;

const [, , call] = process.argv;
const refused = () => Promise.reject(new Error('no network'));
const provider = new FliptProvider({
  auth: { tokenFile: 'package.json' },
  http: { dispatcher: { request: refused }, retries: 0 },
  logger: { error() {}, warn() {}, info() {}, debug() {} },
});

const calls = {
  resolve: () => provider.resolveBooleanEvaluation('a', false, {}),
  evaluateAll: () => provider.evaluateAll({}, ['a']),
  explain: () => provider.explain('a').catch(() => undefined),
};

async function first() {
  const its = {};
  await new AsyncLocalStorage().run(its, calls[call]);
  return new WeakRef(its);
}

const kept = await first();
for (let turn = 0; turn < TURNS && kept.deref() !== undefined; turn++) {
  await new Promise(setImmediate);
  globalThis.gc();
}
console.log(`${call}: ${kept.deref() === undefined ? 'freed' : 'kept'}`);
await provider.onClose();
