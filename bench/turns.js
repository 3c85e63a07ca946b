/**
 * Measures the longest turn of the event loop for snapshots of many shapes. Each is as large as the provider promises
 * to handle.
 *
 *   node bench/turns.js
 *   RUNS=3 SHAPE=rules node bench/turns.js    one shape, without building
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromProcess } from './from-process.js';
import { SHAPES } from './shapes.js';
import { serveSnapshots } from './snapshot-server.js';

const RUNS = Number(process.env.RUNS ?? 3);
const folder = await mkdtemp(join(tmpdir(), 'flipt-bench-'));

const measured = (url) =>
  fromProcess('turns-process.js', { FLIPT_URL: url, SNAPSHOT_FILE: join(folder, 'snapshot') });

const rows = {};
for (const [name, bodyOf] of SHAPES) {
  if (process.env.SHAPE !== undefined && process.env.SHAPE !== name) continue;
  const { url, close } = await serveSnapshots(bodyOf);
  const runs = [];
  for (let run = 0; run < RUNS; run++) {
    await rm(join(folder, 'snapshot'), { force: true });
    runs.push(await measured(url));
  }
  // The shortest of several runs, because other processes can make a turn longer but not shorter.
  const least = (column) => Math.round(Math.min(...runs.map((run) => run[column])));
  rows[name] = Object.fromEntries(Object.keys(runs[0]).map((column) => [column, least(column)]));
  close();
}
console.log(`The longest turn of the event loop, in milliseconds; least of ${RUNS} processes`);
console.table(rows);
await rm(folder, { recursive: true });
