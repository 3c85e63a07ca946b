/** Measures one provider: CPU µs of a warm resolve, one after another and 64 at once. */
import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { contextOf } from './features.js';

const [subject, resolves] = [process.argv[2], Number(process.argv[3])];

const quiet = { error() {}, warn() {}, info() {}, debug() {} };

class ConstantProvider {
  metadata = { name: 'constant' };
  runsOn = 'server';
  resolveStringEvaluation() {
    return Promise.resolve({ value: 'on', variant: 'on', reason: 'STATIC' });
  }
}

const make = {
  constant: () => new ConstantProvider(),
  'in-memory': () =>
    new InMemoryProvider({
      'flag-0': { variants: { on: 'on', off: 'off' }, defaultVariant: 'on', disabled: false },
    }),
  flipt: () => new FliptProvider({ logger: quiet }),
};

await OpenFeature.setProviderAndWait(make[subject]());
const client = OpenFeature.getClient();
const contexts = Array.from({ length: 1_000 }, (_, user) => contextOf(user));

async function oneByOne(count) {
  for (let n = 0; n < count; n++) await client.getStringValue('flag-0', 'off', contexts[n % contexts.length]);
}

async function together(count) {
  for (let n = 0; n < count; n += 64) {
    const some = [];
    for (let k = 0; k < 64; k++)
      some.push(client.getStringValue('flag-0', 'off', contexts[(n + k) % contexts.length]));
    await Promise.all(some);
  }
}

async function cpuMicros(work) {
  await work(Math.min(50_000, resolves));
  globalThis.gc();
  const before = process.cpuUsage();
  await work(resolves);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / resolves;
}

process.send({ oneByOne: await cpuMicros(oneByOne), together: await cpuMicros(together) });
await OpenFeature.close();
process.disconnect();
