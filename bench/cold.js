/**
 * Measures a cold start: a new process imports a provider, registers it with default options and gets its first answer,
 * from a service on this machine. The processes of the clients take turns, so that a busy moment slows all clients
 * down.
 *
 *   node bench/cold.js                                                    15 processes of each client
 *   RUNS=40 FLIPT_PROVIDER=/folder/with/node_modules node bench/cold.js   with @openfeature/flipt-provider, installed there
 *   NODE=/path/to/another/node node bench/cold.js                         with another version of Node
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from './cold-service.js';
import { fromProcess } from './from-process.js';

const RUNS = Number(process.env.RUNS ?? 15);
const clients = ['the SDK alone', 'remote', 'in-process', 'in-process, from a file'];
if (process.env.FLIPT_PROVIDER !== undefined) clients.push('@openfeature/flipt-provider');

const service = await startService();
const folder = await mkdtemp(join(tmpdir(), 'flipt-bench-'));
const env = { FLIPT_URL: service.url, SNAPSHOT_FILE: join(folder, 'snapshot') };

const { NODE = process.execPath } = process.env;
const measured = (client) => fromProcess('cold-process.js', { ...env, CLIENT: client }, [], NODE);

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

const runs = new Map(clients.map((client) => [client, []]));
// The first run of each client leaves its files behind and makes the system cache them. It does not count.
for (const client of clients) await measured(client);
for (let run = 0; run < RUNS; run++) {
  for (const client of clients) runs.get(client).push(await measured(client));
}

console.log(
  `Medians of ${RUNS} processes, in turns: milliseconds since the process began (node ${runs.get('remote')[0].version})`,
);
console.table(
  Object.fromEntries(
    [...runs].map(([client, own]) => {
      const imported = median(own.map(({ importedMs }) => importedMs));
      const answered = median(own.map(({ answeredMs }) => answeredMs));
      return [client, { imported: imported.toFixed(0), 'first answer': answered?.toFixed(0) ?? '–' }];
    }),
  ),
);
service.close();
await rm(folder, { recursive: true });
