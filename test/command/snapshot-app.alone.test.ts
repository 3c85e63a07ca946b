import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { startLocalService } from '../../src/local/index.js';
import { useFolder } from '../local/folder.fixture.js';
import { startScript } from '../process.fixture.js';
import { refusedAddress } from '../provider/open.fixture.js';
import { startCommand } from './command-process.fixture.js';

const ROOT = join(import.meta.dirname, '../..');
const at = useFolder();

/** Prints what 20 users get of all flags, and from what: as an app would ask, flag by flag. */
const APP = `
import { OpenFeature, ProviderEvents } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import flags from './flags.json';

const provider = new FliptProvider({ snapshot: { initial: flags }, initTimeoutMs: 60_000, deadlineMs: 60_000 });
const client = OpenFeature.getClient();
const isStale = new Promise((resolve) => client.addHandler(ProviderEvents.Stale, resolve));
await OpenFeature.setProviderAndWait(provider);
const values = [];
let defaults = 0;
for (let user = 0; user < 20; user++) {
  for (const { key, type } of flags.flags) {
    const asked = type === 'BOOLEAN_FLAG_TYPE' ? 'getBooleanDetails' : 'getStringDetails';
    const fallback = type === 'BOOLEAN_FLAG_TYPE' ? false : 'none';
    const { value, errorCode } = await client[asked](key, fallback, { targetingKey: 'u' + user, plan: 'pro' });
    if (errorCode !== undefined) defaults += 1;
    values.push(value);
  }
}
if (process.env.IS_DOWN) await isStale;
const { condition, watch } = provider.getStatus();
process.stdout.write(JSON.stringify({ condition, ageMs: watch.ageMs, defaults, values }));
await OpenFeature.close();
`;

/** The copy becomes two days old. */
async function age(path: string): Promise<void> {
  const date = new Date(Date.now() - 48 * 3_600_000).toISOString();
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/"confirmedAt":"[^"]+"/, `"confirmedAt":"${date}"`));
}

/** The app in one file, with the flags in it. */
async function bundle(): Promise<string> {
  const outfile = at('app.mjs');
  await build({
    stdin: { contents: APP, resolveDir: at(), loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    alias: { 'openfeature-flipt-provider': join(ROOT, 'dist/index.js') },
    nodePaths: [join(ROOT, 'node_modules')],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
    logLevel: 'error',
  });
  return outfile;
}

interface Printed {
  readonly condition: string;
  readonly ageMs: number;
  readonly defaults: number;
  readonly values: readonly unknown[];
  readonly warnings: readonly string[];
}
async function run(app: string, env: Record<string, string>): Promise<Printed> {
  const { code, output } = await startScript(app, [], env).ended;
  expect(code, output).toBe(0);
  const [line = ''] = /^\{.*$/m.exec(output) ?? [];
  return { ...(JSON.parse(line) as Omit<Printed, 'warnings'>), warnings: output.match(/is old: .*/g) ?? [] };
}

it.each([
  ['v1', 'remote'],
  ['v2', 'in-process'],
] as const)(
  'a bundle with the flags of a Flipt %s starts without Flipt and gives no default, %s',
  async (version, mode) => {
    const features = join(ROOT, `test/recordings/evaluation/alpha.${version}.features.yml`);
    const service = await startLocalService({ features, semantics: version });
    const written = await startCommand(['snapshot', '--url', service.url, '--out', at('flags.json')]).ended;
    expect(written).toMatchObject({ code: 0 });
    await age(at('flags.json'));
    const app = await bundle();
    await rm(at('flags.json'));
    const env = { FLIPT_EVALUATION: mode };
    const online = await run(app, { ...env, FLIPT_URL: service.url });
    await service.close();
    const url = await refusedAddress();
    const offline = await run(app, { ...env, FLIPT_URL: url, IS_DOWN: 'yes' });
    expect(offline.values.length).toBeGreaterThan(500);
    expect(offline.defaults).toBe(0);
    expect(offline.values).toEqual(online.values);
    expect(offline.ageMs).toBeGreaterThan(48 * 3_600_000 - 1);
    expect([online.condition, offline.condition]).toEqual(['ready', 'stale']);
    expect(online.warnings).toEqual([]);
    expect(offline.warnings).toEqual(['is old: Flipt last confirmed it 2 days ago']);
  },
);
