import { strict as assert } from 'node:assert';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { FEATURES } from './checks.mjs';
import { failureOf } from './run-steps.mjs';
import { versionOf } from './runtimes.mjs';

const LAYOUT = `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`;
const EDGE = `import { FliptProvider } from 'openfeature-flipt-provider';
export const runtime = 'edge';
export const GET = () => new Response(typeof FliptProvider);
`;
const OFREP = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };

/** Each fence of the page is a file, and begins with a comment that names it. */
function filesIn(page) {
  return [...page.matchAll(/^```jsx\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, file, code]) => [file, code]);
}

async function withApp(next, app, use) {
  const service = await startLocalService({ features: FEATURES });
  const env = { ...process.env, FLIPT_URL: service.url, NEXT_TELEMETRY_DISABLED: '1' };
  const server = spawn(process.execPath, [next, 'start', '--port', '0'], {
    cwd: app,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'close');
  try {
    const address = await new Promise((resolve, reject) => {
      void ended.then(() => reject(new Error('next start has ended')));
      createInterface(server.stdout).on('line', (line) => {
        const [url] = /http:\/\/localhost:\d+/.exec(line) ?? [];
        if (url !== undefined) resolve(url);
      });
    });
    return await use((path, init) => fetch(address + path, init), service);
  } finally {
    server.kill();
    await ended;
    await service.close();
  }
}

const STEPS = {
  'a server component': async (ask) => {
    const page = await ask('/', { headers: { cookie: 'user=user-1' } });
    assert.match(await page.text(), /new checkout/);
  },
  'a route handler': async (ask) => {
    assert.equal(await (await ask('/api/banner?user=user-1')).json(), 'red');
  },
  'flags for the browser': async (ask) => {
    const response = await ask('/ofrep/v1/evaluate/flags/new-checkout', OFREP);
    assert.equal((await response.json()).value, true);
  },
  'the proxy': async (ask) => {
    assert.match(await (await ask('/checkout')).text(), /new checkout/);
  },
};

/** Builds the app of docs/nextjs.md, and asks it. */
export async function inNext(folder, page) {
  const app = join(folder, 'app-of-nextjs');
  const write = (file, code) => {
    mkdirSync(dirname(join(app, file)), { recursive: true });
    writeFileSync(join(app, file), code);
  };
  for (const [file, code] of filesIn(readFileSync(page, 'utf8'))) write(file, code);
  write('app/layout.jsx', LAYOUT);
  write('package.json', '{}');
  const next = join(folder, 'node_modules/next/dist/bin/next');
  const built = () =>
    promisify(execFile)(process.execPath, [next, 'build'], {
      cwd: app,
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
      timeout: 240_000,
    });
  await built();
  const results = [];
  await withApp(next, app, async (ask) => {
    for (const [name, run] of Object.entries(STEPS)) {
      results.push({ name: `Next.js: ${name}`, failure: await failureOf(() => run(ask)) });
    }
  });
  write('app/edge/route.js', EDGE);
  const said = await built().then(
    () => 'it was built',
    ({ stdout, stderr }) => stdout + stderr,
  );
  const words = 'openfeature-flipt-provider does not run in the Edge runtime of Next.js';
  const failure = said.includes(words) ? undefined : said;
  results.push({ name: 'Next.js: the Edge runtime says what to do', failure });
  return { title: `Next.js ${versionOf(process.execPath, [next])}`, results };
}
