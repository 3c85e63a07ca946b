import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { FEATURES } from './checks.mjs';
import { versionOf } from './runtimes.mjs';

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "bundle.mjs")],
  compatibilityDate = "2026-06-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [(name = "FLIPT_URL", fromEnvironment = "FLIPT_URL")],
  globalOutbound = "internet"
);
`;

/** As wrangler does, in short: CommonJS may require Node's modules. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire('/');";

/** Starts a worker, with a service for it. Returns how to ask it. */
export async function withWorker(folder, entry, use) {
  const outfile = join(folder, 'bundle.mjs');
  const banner = { js: REQUIRE };
  await build({
    entryPoints: [join(folder, entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    external: ['node:*'],
    banner,
    logLevel: 'error',
  });
  writeFileSync(join(folder, 'config.capnp'), CONFIG);
  const service = await startLocalService({ features: FEATURES });
  const workerd = spawn(
    join(folder, 'node_modules/.bin/workerd'),
    ['serve', 'config.capnp', '--control-fd=3'],
    {
      cwd: folder,
      env: { ...process.env, FLIPT_URL: service.url },
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    },
  );
  const ended = once(workerd, 'close');
  try {
    const [line] = await Promise.race([
      once(createInterface(workerd.stdio[3]), 'line'),
      ended.then(() => Promise.reject(new Error('workerd did not start'))),
    ]);
    const ask = async (path) => {
      const response = await fetch(new URL(path, `http://127.0.0.1:${JSON.parse(line).port}`));
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text}`);
      return JSON.parse(text);
    };
    return await use({ service, ask });
  } finally {
    workerd.kill();
    await ended;
    await service.close();
  }
}

/** Runs the steps that need only a service, each in a request of its own. */
export const inWorkerd = (folder) =>
  withWorker(folder, 'worker.mjs', async ({ ask }) => {
    const results = [];
    for (const name of await ask('/')) {
      const asked = ask(`/?step=${encodeURIComponent(name)}`);
      results.push(await asked.catch((error) => ({ name, failure: String(error) })));
    }
    const version = versionOf(join(folder, 'node_modules/.bin/workerd'));
    return { title: `workerd ${version}`, results };
  });
