/**
 * What snapshots cost: for how long applying one blocks the event loop, the memory that it takes, and a cold start.
 *
 *   npm run bench:snapshot
 *   FLIPT_CLIENT_JS=/folder/with/node_modules npm run bench:snapshot    with @flipt-io/flipt-client-js, installed there
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromProcess } from './from-process.js';
import { serveSnapshots } from './snapshot-server.js';

const RUNS = Number(process.env.RUNS ?? 7);
const recorded = JSON.parse(
  readFileSync(new URL('../test/recordings/snapshot/alpha.v1.default.json', import.meta.url), 'utf8'),
);

/** Real flags under other keys; those of an odd edition are all off. */
function bodyOf(size, edition) {
  const flags = Array.from({ length: size }, (_, at) => {
    const flag = recorded.flags[at % recorded.flags.length];
    return { ...flag, key: `flag-${at}`, enabled: edition % 2 === 0 && flag.enabled };
  });
  return JSON.stringify({ ...recorded, flags });
}

const serve = (size) => serveSnapshots((edition) => bodyOf(size, edition));

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

async function medians(script, env) {
  const runs = [];
  for (let run = 0; run < RUNS; run++) runs.push(await fromProcess(script, env));
  return mediansOf(runs);
}

function mediansOf(runs) {
  return Object.fromEntries(
    Object.keys(runs[0]).map((name) => [name, Number(median(runs.map((run) => run[name])).toFixed(1))]),
  );
}

console.log(`Medians of ${RUNS} processes (node ${process.version}); milliseconds, and megabytes of heap`);
const applied = {};

for (const size of [100, 1_000, 10_000]) {
  const { url, bytes, close } = await serve(size);
  applied[`${size} flags, ${(bytes / 1e6).toFixed(1)} MB`] = await medians('snapshot-process.js', {
    FLIPT_URL: url,
  });
  close();
}
console.table(applied);

const folder = await mkdtemp(join(tmpdir(), 'flipt-bench-'));
const clients = ['remote', 'in-process, from Flipt', 'in-process, from a file'];
if (process.env.FLIPT_CLIENT_JS !== undefined) clients.push('flipt-client-js');
const cold = {};
for (const size of [1_000, 10_000]) {
  const { url, close } = await serve(size);
  const env = { FLIPT_URL: url };
  const withFile = { ...env, SNAPSHOT_FILE: join(folder, `${size}`) };
  const runs = Object.fromEntries(clients.map((client) => [client, []]));
  // Leaves the file behind, and lets the system read all files once.
  for (const client of clients) await fromProcess('cold-start.js', { ...withFile, CLIENT: client });
  for (let run = 0; run < RUNS; run++) {
    for (const client of clients) {
      const given = client === 'in-process, from a file' ? withFile : env;
      runs[client].push(await fromProcess('cold-start.js', { ...given, CLIENT: client }));
    }
  }
  for (const client of clients) cold[`${size} flags, ${client}`] = mediansOf(runs[client]);
  close();
}
console.log(`A cold start, to the first answer: milliseconds, and megabytes of memory at most until then`);
console.table(cold);
await rm(folder, { recursive: true });
