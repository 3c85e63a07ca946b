/**
 * Compares this provider with its peers, from a folder in which all of them are installed: `node bench/compare/main.js`. It prints
 * the table of the README. It installs packages from npm. It takes about five minutes, because it waits until each
 * provider has seen a change. RUNS=15 takes more processes for the first answer.
 */
import { execFileSync, fork } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { features } from '../features.js';
import { ownEnvironment } from '../own-environment.js';
import { DOCUMENTED, table } from './table.js';
import { FLAGS, KNOWN, NEW } from './users.js';

const ROOT = join(import.meta.dirname, '../..');
const RUNS = Number(process.env.RUNS ?? 7);
const PEERS = {
  '@openfeature/flipt-provider': '@openfeature/flipt-provider',
  'flipt-client-js': '@flipt-io/flipt-client-js',
  '@openfeature/ofrep-provider': '@openfeature/ofrep-provider',
};
const NEEDED = ['@openfeature/server-sdk', '@openfeature/core', '@openfeature/ofrep-core'];
const RECORDINGS = ['alpha.v1', 'bravo.v1', 'alpha.v2', 'bravo.v2'];
const names = Object.keys(DOCUMENTED);

const folder = mkdtempSync(join(tmpdir(), 'compare-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
install();
const documents = { DOCUMENTS: JSON.stringify(features) };
const measurements = {};
const put = (row, name, text) => {
  (measurements[name] ??= {})[row] = text;
};

const costs = {};
for (const name of names) {
  process.stderr.write(`${name} …\n`);
  put('requests', name, await thousand(name));
  costs[name] = await cost(name);
  put('outage', name, await outage(name));
  put('start', name, await startInOutage(name));
  put('exact', name, await exact(name));
}
for (const name of names) put('cost', name, (costs[name] / costs['this one, remote']).toFixed(1));
await firstAnswers();
const changes = await Promise.all(names.map((name) => change(name)));
for (const [at, name] of names.entries()) put('change', name, changes[at]);
const v2 = { ...documents, SEMANTICS: 'v2' };
for (const name of names.filter((own) => own.startsWith('this one'))) {
  put('stream', name, await change(name, v2, { STREAM: 'true' }));
}
print();

function install() {
  const npm = (cwd, ...args) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [{ filename }] = JSON.parse(
    npm(ROOT, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder),
  );
  npm(folder, 'init', '--yes');
  npm(
    folder,
    'install',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    join(folder, filename),
    ...NEEDED,
    ...Object.values(PEERS),
  );
  npm(folder, 'pkg', 'set', 'type=module');
  cpSync(import.meta.dirname, join(folder, 'compare'), { recursive: true });
}

async function started(script, env) {
  // What a provider prints matters only if its process fails.
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc'];
  const child = fork(join(folder, 'compare', script), { env: { ...ownEnvironment, ...env }, stdio });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const failed = ended.then((code) => {
    throw new Error(`${script} ended with ${code}: ${errors}`);
  });
  failed.catch(() => {});
  const message = () => Promise.race([new Promise((resolve) => child.once('message', resolve)), failed]);
  return { child, message, first: await message(), ended };
}

async function withService(env, work) {
  const service = await started('service.js', env);
  const ask = async (question) => {
    service.child.send(question);
    return service.message();
  };
  const stop = () => service.child.kill('SIGKILL');
  try {
    return await work({ url: service.first.url, ask, stop });
  } finally {
    stop();
  }
}

function measured(CONTENDER, MEASUREMENT, FLIPT_URL, env = {}) {
  return started('measure.js', { CONTENDER, MEASUREMENT, FLIPT_URL, ...env });
}

function thousand(name) {
  return withService(documents, async ({ url, ask }) => {
    await measured(name, 'thousand', url);
    const { requests } = await ask({});
    return String(requests);
  });
}

function cost(name) {
  return withService(documents, async ({ url }) => (await measured(name, 'cost', url)).first.result.ratio);
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

function outage(name) {
  return withService(documents, async ({ url, ask, stop }) => {
    const { child, message } = await measured(name, 'outage', url);
    const expected = { known: await answersFor(ask, KNOWN), new: await answersFor(ask, NEW) };
    stop();
    child.send({ expected });
    const { result } = await message();
    return `${percent(result.known)}, ${percent(result.new)}`;
  });
}

async function answersFor(ask, users) {
  const questions = users.flatMap(({ targetingKey: entityId, ...context }) =>
    FLAGS.map((flagKey) => ({ flagKey, entityId, context })),
  );
  const { answers } = await ask({ answersTo: questions });
  return users.map((_, at) =>
    answers.slice(at * FLAGS.length, (at + 1) * FLAGS.length).map(({ variantKey }) => variantKey),
  );
}

async function startInOutage(name) {
  // The process before this one has left its last snapshot there, if its provider keeps one.
  const file = { SNAPSHOT_FILE: join(folder, `${name}.snapshot`) };
  const address = await withService(documents, async ({ url }) => {
    await measured(name, 'keep', url, file);
    return url;
  });
  const { first } = await measured(name, 'firstAnswer', address, file);
  return first.result.isRight ? '100 %' : '0 %';
}

async function exact(name) {
  const sum = { asked: 0, wrong: 0 };
  for (const recording of RECORDINGS) {
    const path = join(ROOT, 'test/recordings/evaluation', recording);
    const env = { FEATURES: `${path}.features.yml`, SEMANTICS: recording.split('.')[1] };
    const { asked, wrong } = await withService(env, async ({ url }) => {
      const { first } = await measured(name, 'exact', url, { QUESTIONS: `${path}.jsonl` });
      return first.result;
    });
    sum.asked += asked;
    sum.wrong += wrong;
  }
  return `${sum.wrong} of ${sum.asked}`;
}

/** The providers take turns, so that a busy moment slows all of them down. */
async function firstAnswers() {
  const times = new Map(names.map((name) => [name, []]));
  await withService(documents, async ({ url }) => {
    for (let run = 0; run <= RUNS; run++) {
      for (const name of names) {
        const { first, ended } = await measured(name, 'firstAnswer', url);
        times.get(name).push(first.result.ms);
        // The next process must not start while the end of this one would slow it down.
        await ended;
      }
    }
  });
  for (const [name, [, ...own]] of times) {
    const middle = own.toSorted((a, b) => a - b)[Math.floor(own.length / 2)];
    put('firstAnswer', name, `${Math.round(middle)} ms`);
  }
}

function change(name, service = documents, env = {}) {
  return withService(service, async ({ url, ask }) => {
    const { child, message, first } = await measured(name, 'change', url, env);
    await ask({ set: [FLAGS[0], first.before === 'on' ? 'off' : 'on'] });
    child.send({ isChanged: true });
    const { ms } = (await message()).result;
    if (ms === undefined) return 'not within 200 s';
    return ms < 1_000 ? 'at once' : `${Math.round(ms / 1_000)} s`;
  });
}

function print() {
  const versionOf = (peer) =>
    JSON.parse(readFileSync(join(folder, 'node_modules', peer, 'package.json'), 'utf8')).version;
  const versions = Object.fromEntries(Object.entries(PEERS).map(([name, peer]) => [name, versionOf(peer)]));
  console.log(table(measurements, versions));
  console.log(`\nNode ${process.version}, Flipt's embedded stand-in on this machine.`);
}
