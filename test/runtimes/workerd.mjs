import { strict as assert } from 'node:assert';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { FEATURES, until } from './checks.mjs';
import { failureOf } from './run-steps.mjs';
import { versionOf } from './runtimes.mjs';

const configuration = (store) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private", "local"])),
    (name = "store", external = (address = "127.0.0.1:${store}", http = ())),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "bundle.mjs")],
  compatibilityDate = "2026-06-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [
    (name = "FLIPT_URL", fromEnvironment = "FLIPT_URL"),
    (name = "FLAGS", kvNamespace = "store"),
  ],
  globalOutbound = "internet"
);
`;

/** As wrangler does, in short: CommonJS may require Node's modules. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire('/');";

/** A store of keys and values, as workerd asks one. */
async function withStore(use) {
  const kept = new Map();
  let puts = 0;
  const server = createServer(async (request, response) => {
    const key = new URL(request.url, 'http://store').pathname;
    if (request.method === 'PUT') {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      kept.set(key, Buffer.concat(chunks));
      puts += 1;
    }
    response.writeHead(kept.has(key) ? 200 : 404).end(kept.get(key));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(server.address().port, () => puts);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Starts a worker in a process of its own. `ask` gets the JSON of a response. */
async function withWorker(folder, { entry, url, store }, use) {
  await build({
    entryPoints: [join(folder, entry)],
    outfile: join(folder, 'bundle.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    external: ['node:*', 'cloudflare:*'],
    banner: { js: REQUIRE },
    logLevel: 'error',
  });
  writeFileSync(join(folder, 'config.capnp'), configuration(store));
  const program = join(folder, 'node_modules/.bin/workerd');
  const workerd = spawn(program, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    env: { ...process.env, FLIPT_URL: url },
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const ended = once(workerd, 'close');
  const notStarted = ended.then(() => Promise.reject(new Error('workerd did not start')));
  try {
    const [line] = await Promise.race([once(createInterface(workerd.stdio[3]), 'line'), notStarted]);
    const address = `http://127.0.0.1:${JSON.parse(line).port}`;
    return await use(async (path) => {
      const response = await fetch(address + path);
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text}`);
      return JSON.parse(text);
    });
  } finally {
    workerd.kill();
    await ended.catch(() => undefined);
    notStarted.catch(() => undefined);
  }
}

/** Steps of several requests, which share a provider without a background. */
const frozenSteps = ['plain', 'kept'].flatMap((mode) => [
  [
    `no background, ${mode}: the first request after a refresh sees a change`,
    async ({ ask, service }) => {
      const changes = async () => (await ask(`/refresh?mode=${mode}`)).watch.changedFlags;
      service.set('switched', false);
      await until(async () => (await ask(`/refresh?mode=${mode}`)).watch.condition === 'working');
      assert.equal((await ask(`/?mode=${mode}`)).value, false);
      const before = await changes();
      service.set('switched', true);
      await until(async () => (await changes()) > before);
      assert.equal((await ask(`/?mode=${mode}`)).value, true);
    },
  ],
  [
    `no background, ${mode}: a request sees a change by itself, when a poll is due`,
    async ({ ask, service }) => {
      for (const value of [false, true]) {
        service.set('switched', value);
        await until(async () => (await ask(`/alone?mode=${mode}`)).value === value);
      }
    },
  ],
  [
    `no background, ${mode}: 100 requests at once`,
    async ({ ask }) => {
      const users = Array.from({ length: 100 }, (_, at) => ask(`/?mode=${mode}&user=${at}`));
      const answers = await Promise.all(users);
      assert.deepEqual(
        answers.filter(({ value, errorCode }) => value !== true || errorCode !== undefined),
        [],
      );
    },
  ],
]);

async function frozen(folder) {
  const results = [];
  const step = async (name, run, given) => results.push({ name, failure: await failureOf(run, given) });
  await withStore(async (store, puts) => {
    const service = await startLocalService({ features: FEATURES });
    service.set('switched', true);
    const command = join(folder, 'node_modules/.bin/openfeature-flipt-provider');
    await promisify(execFile)(command, [
      'snapshot',
      '--url',
      service.url,
      '--out',
      join(folder, 'flags.json'),
    ]);
    const worker = { entry: 'frozen-worker.mjs', url: service.url, store };
    await withWorker(folder, worker, async (ask) => {
      for (const [name, run] of frozenSteps) await step(name, run, { ask, service });
      // A save comes at most every five seconds.
      const saved = () => until(async () => (await ask('/refresh?mode=kept')) && puts() > 1);
      await step('no background: a change is saved', saved);
      await step('no background: a copy in the bundle answers without Flipt', async () => {
        assert.equal((await ask('/refresh?mode=copy')).watch.flags, FEATURES.flags.length);
        assert.equal((await ask('/?mode=copy')).value, true);
      });
    });
    await service.close();
    const restart = () =>
      withWorker(folder, worker, async (ask) => {
        await ask('/refresh?mode=kept');
        assert.equal((await ask('/?mode=kept')).value, true);
        // After three intervals, which are long if the last whole snapshot took long.
        await until(async () => (await ask('/?mode=kept')).reason === 'STALE');
      });
    await step('no background: a start without Flipt, from a store of keys and values', restart);
  });
  return results;
}

/** Runs the steps that need only a service, each in a request of its own, and those of a worker without a background. */
export async function inWorkerd(folder) {
  const service = await startLocalService({ features: FEATURES });
  const results = [];
  await withWorker(folder, { entry: 'worker.mjs', url: service.url, store: 1 }, async (ask) => {
    for (const name of await ask('/')) {
      const asked = ask(`/?step=${encodeURIComponent(name)}`);
      results.push(await asked.catch((error) => ({ name, failure: String(error) })));
    }
  });
  await service.close();
  const version = versionOf(join(folder, 'node_modules/.bin/workerd'));
  return { title: `workerd ${version}`, results: [...results, ...(await frozen(folder))] };
}
