/**
 * Measures the CPU time of one resolve through the OpenFeature client, compared with a provider that returns a
 * constant.
 *
 * All providers share one process, each under a domain of its own, and take turns: blocks of 500 resolves, in an order
 * that rotates each round. What slows one provider down slows the others down as well, so the ratio varies by only 0.1
 * between runs. With separate processes, it would vary by 0.4. It reports the median of all runs, and for each run the
 * median of its rounds.
 *
 *   node bench/resolves.js                                          7 runs of 100 rounds
 *   RUNS=3 ROUNDS=40 node bench/resolves.js
 *   FLIPT_CLIENT_JS=/folder/with/node_modules node bench/resolves.js    with @flipt-io/flipt-client-js, which is installed there
 */
import { OpenFeature } from '@openfeature/server-sdk';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { contextOf, features } from './features.js';
import { fromProcess } from './from-process.js';
import { providersFor } from './providers.js';

const RUNS = Number(process.env.RUNS ?? 7);
const ROUNDS = Number(process.env.ROUNDS ?? 100);
const BLOCK = 500;
const TOGETHER = 64;

const service = await startLocalService({ features, port: 0 });
const contexts = Array.from({ length: 1_000 }, (_, user) => contextOf(user));
const clients = [];
for (const [name, provider] of await providersFor(service.url)) {
  await OpenFeature.setProviderAndWait(name, provider);
  clients.push({ name, client: OpenFeature.getClient(name) });
}

let next = 0;
const resolve = (client) => client.getStringValue('flag-0', 'off', contexts[next++ % contexts.length]);

async function oneByOne(client) {
  for (let n = 0; n < BLOCK; n++) await resolve(client);
}

async function together(client) {
  for (let n = 0; n < BLOCK; n += TOGETHER) {
    await Promise.all(Array.from({ length: Math.min(TOGETHER, BLOCK - n) }, () => resolve(client)));
  }
}

async function microsecondsOf(block, client) {
  next = 0;
  const start = process.cpuUsage();
  await block(client);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / BLOCK;
}

/** Runs all rounds, and returns the times of each provider's blocks. */
async function run(block) {
  const times = new Map(clients.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < clients.length; turn++) {
      const { name, client } = clients[(round + turn) % clients.length];
      times.get(name).push(await microsecondsOf(block, client));
    }
  }
  return times;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** For each provider, the median of its times, and of its ratio to the constant one in the same round. */
function summary(times) {
  const constant = times.get('constant');
  return new Map(
    [...times].map(([name, own]) => [
      name,
      { time: median(own), ratio: median(own.map((time, round) => time / constant[round])) },
    ]),
  );
}

async function measured(block) {
  const summaries = [];
  for (let count = 0; count < RUNS; count++) summaries.push(summary(await run(block)));
  return (name) => {
    const own = summaries.map((each) => each.get(name));
    return { time: median(own.map(({ time }) => time)), ratio: median(own.map(({ ratio }) => ratio)) };
  };
}

// Before the first run that counts, all users are in the cache, and all code is compiled.
for (const block of [oneByOne, together]) await run(block);
const sequential = await measured(oneByOne);
const parallel = await measured(together);

console.log(`One resolve, medians of ${RUNS} runs of ${ROUNDS} rounds of ${BLOCK} (node ${process.version})`);
console.table(
  clients.map(({ name }) => ({
    provider: name,
    'one after another, CPU µs': sequential(name).time.toFixed(2),
    'of the constant': sequential(name).ratio.toFixed(2),
    '64 at once, CPU µs': parallel(name).time.toFixed(2),
    'of the constant ': parallel(name).ratio.toFixed(2),
  })),
);
await OpenFeature.close();

const { requests, heapBytes } = await fromProcess('batch-and-memory.js', {
  FLIPT_URL: service.url,
});
console.log(`Ten flags asked at once for a new user: ${requests} HTTP request${requests === 1 ? '' : 's'}`);
console.log(`10,000 cached answers: ${(heapBytes / 1e6).toFixed(1)} MB of heap`);
await service.close();
