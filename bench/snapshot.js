/**
 * Measures what snapshots cost: for how long applying one blocks the event loop, the memory that it takes, a cold
 * start, and a start with a kept file while Flipt is up.
 *
 *   node bench/snapshot.js
 *   FLIPT_CLIENT_JS=/folder/with/node_modules node bench/snapshot.js    with @flipt-io/flipt-client-js, installed there
 *   OLD_BUILD=/folder/of/a/checkout node bench/snapshot.js    an older build, beside this one
 *   ONLY=kept node bench/snapshot.js              one part (applied, cold or kept), without building
 */
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromProcess } from './from-process.js';
import { serveSnapshot, serveSnapshots } from './snapshot-server.js';

const RUNS = Number(process.env.RUNS ?? 7);
const recorded = JSON.parse(
  readFileSync(new URL('../test/recordings/snapshot/alpha.v1.default.json', import.meta.url), 'utf8'),
);

/** The body of a snapshot, with real flags under other keys. In an odd edition, all of them are off. */
function bodyOf(size, edition) {
  const flags = Array.from({ length: size }, (_, at) => {
    const flag = recorded.flags[at % recorded.flags.length];
    return { ...flag, key: `flag-${at}`, enabled: edition % 2 === 0 && flag.enabled };
  });
  return JSON.stringify({ ...recorded, flags });
}

/** Each build by the name that its rows have, with the environment of its processes. */
/** @type {[string, object][]} */
const BUILDS = [['', {}]];
if (process.env.OLD_BUILD) BUILDS.unshift([', old', { BUILD: process.env.OLD_BUILD }]);

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

const folder = await mkdtemp(join(tmpdir(), 'flipt-bench-'));
console.log(`Medians of ${RUNS} processes (node ${process.version}); milliseconds, and megabytes of heap`);
const PARTS = { applied: appliedSnapshots, cold: coldStarts, kept: keptStarts };
for (const [name, measure] of Object.entries(PARTS)) {
  if ((process.env.ONLY ?? name) === name) await measure();
}
await rm(folder, { recursive: true });

async function appliedSnapshots() {
  const applied = {};
  for (const size of [100, 1_000, 10_000]) {
    const { url, bytes, close } = await serve(size);
    const name = `${size} flags, ${(bytes / 1e6).toFixed(1)} MB`;
    for (const [build, env] of BUILDS)
      applied[name + build] = await medians('snapshot-process.js', { ...env, FLIPT_URL: url });
    close();
  }
  console.table(applied);
}

async function coldStarts() {
  const clients = ['remote', 'in-process, from Flipt', 'in-process, from a file'];
  const runsOf = {};
  for (const size of [1_000, 10_000]) {
    const { url, close } = await serve(size);
    const contenders = BUILDS.flatMap(([build, env]) =>
      clients.map((client) => [
        `${size} flags, ${client}${build}`,
        { ...env, FLIPT_URL: url, CLIENT: client, SNAPSHOT_FILE: join(folder, `${size}${build}`) },
      ]),
    );
    if (process.env.FLIPT_CLIENT_JS !== undefined)
      contenders.push([`${size} flags, flipt-client-js`, { FLIPT_URL: url, CLIENT: 'flipt-client-js' }]);
    // This run leaves the file behind and makes the system cache all files. It does not count.
    for (const [, env] of contenders) await fromProcess('cold-start.js', env);
    for (let run = 0; run < RUNS; run++) {
      for (const [name, { SNAPSHOT_FILE, ...env }] of contenders) {
        const file = env.CLIENT === 'in-process, from a file' && { SNAPSHOT_FILE };
        (runsOf[name] ??= []).push(await fromProcess('cold-start.js', { ...env, ...file }));
      }
    }
    close();
  }
  console.log(`A cold start, to the first answer: milliseconds, and megabytes of memory at most until then`);
  console.table(Object.fromEntries(Object.entries(runsOf).map(([name, runs]) => [name, mediansOf(runs)])));
}

async function keptStarts() {
  const rows = {};
  for (const size of [1_000, 10_000]) {
    const [first, other] = [0, 1].map((edition) => Buffer.from(bodyOf(size, edition)));
    const answers = {
      'no file': { body: first, etag: 'one', isConfirming: true },
      'a 304': { body: first, etag: 'one', isConfirming: true },
      'the same, 200': { body: first, etag: 'one', isConfirming: false },
      another: { body: other, etag: 'two', isConfirming: true },
    };
    const flipt = { ...answers['a 304'] };
    const { url, close } = await serveSnapshot(flipt);
    const start = (env) => fromProcess('kept-start.js', { ...env, FLIPT_URL: url });
    for (const [build, env] of BUILDS) {
      for (const MODE of ['in-process', 'remote']) {
        const kept = join(folder, `kept-${size}${build}`);
        const file = join(folder, 'file');
        Object.assign(flipt, answers['a 304']);
        await start({ ...env, MODE: 'in-process', SNAPSHOT_FILE: kept });
        const runs = {};
        for (let run = 0; run < RUNS; run++) {
          for (const [answer, given] of Object.entries(answers)) {
            Object.assign(flipt, given);
            await copyFile(kept, file);
            const withFile = answer !== 'no file' && { SNAPSHOT_FILE: file };
            (runs[answer] ??= []).push(await start({ ...env, ...withFile, MODE }));
          }
        }
        const medianOf = (ofAnswer) => mediansOf(ofAnswer)['first answer, ms'];
        rows[`${size} flags, ${MODE}${build}`] = Object.fromEntries(
          Object.entries(runs).map(([answer, ofAnswer]) => [answer, medianOf(ofAnswer)]),
        );
      }
    }
    close();
  }
  console.log('A start beside a Flipt that is well, to the first answer: milliseconds');
  console.log(
    'No file is kept, or Flipt answers with 304, with what the file holds, or with another snapshot',
  );
  console.table(rows);
}
