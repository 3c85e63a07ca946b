/*
 * Tests the packed package in other runtimes, which it installs from npm:
 *
 *     npm run test:runtimes              Node, Bun, Deno, and an app of Next.js
 *     npm run test:runtimes -- bun       only that one; the table of docs/runtimes.md stays as it is
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { buildSync } from 'esbuild';
import { inProcess, RUNTIMES } from '../test/runtimes/runtimes.mjs';
import { tableOf, withTable } from '../test/runtimes/table.mjs';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/runtimes.md');
const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const given = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'runtimes-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const run = (command, args, cwd = folder) => {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
};

run('npm', ['run', '--silent', 'build'], ROOT);
// This module uses the package, which a fresh clone has only after the build above.
const { inNext } = await import('../test/runtimes/nextjs.mjs');
run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], ROOT);
cpSync(join(ROOT, 'test/runtimes'), folder, { recursive: true });
buildSync({
  entryPoints: [join(ROOT, 'test/faults/certificate.fixture.ts')],
  outfile: join(folder, 'certificate.mjs'),
  format: 'esm',
  platform: 'node',
});
writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
const ours = ['express', '@openfeature/server-sdk', '@openfeature/core', '@opentelemetry/api', 'esbuild'];
const packages = [
  ...ours.map((name) => `${name}@${devDependencies[name]}`),
  'bun',
  'deno',
  'next',
  'react',
  'react-dom',
];
const tarball = `./openfeature-flipt-provider-${JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version}.tgz`;
// Bun's package contains no program until its install script has run. .npmrc forbids such scripts for this repository.
const options = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts=false'];
run('npm', ['install', ...options, tarball, ...packages]);

const runs = [
  ...Object.keys(RUNTIMES).map((name) => [name, () => inProcess(name, folder)]),
  ['next', () => inNext(folder, join(ROOT, 'docs/nextjs.md'))],
];
const runtimes = [];
for (const [name, start] of runs) {
  if (given.length > 0 && !given.includes(name)) continue;
  const { title, results } = await start();
  // Next.js runs on Node.js, so its results belong to the first runtime.
  if (name === 'next') runtimes[0]?.results.push(...results);
  else runtimes.push({ title, results });
  const failed = results.filter(({ failure }) => failure !== undefined);
  console.log(`${title}: ${results.length - failed.length} of ${results.length} steps passed`);
  for (const { name: step, failure } of failed) console.error(`FAILED ${step}: ${failure}`);
  if (failed.length > 0 || results.length === 0) process.exitCode = 1;
}
if (given.length === 0) {
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), tableOf(runtimes)));
  execFileSync('npx', ['oxfmt', 'docs/runtimes.md'], { cwd: ROOT });
}
