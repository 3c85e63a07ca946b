/*
 * The suite against the lowest version of every peer that the manifest allows, in a copy of the repository:
 *
 *     npm run test:lowest
 *
 * Without the tests of the tarball and of the pages, which are about the package and not about its peers.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** `^1.20.0 || ^2.0.0` → `1.20.0` */
const lowest = (range) => /\d+\.\d+\.\d+/.exec(range)[0];
const peers = Object.fromEntries(
  Object.entries(manifest.peerDependencies).map(([name, range]) => [name, lowest(range)]),
);
const nest = peers['@nestjs/core'];
const pinned = {
  ...peers,
  // These go with Nest, version by version.
  '@nestjs/platform-express': nest,
  '@nestjs/platform-fastify': nest,
  '@nestjs/testing': nest,
};

const copy = mkdtempSync(join(tmpdir(), 'lowest-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
}).split('\0');
for (const file of files.filter((name) => name !== '' && name !== 'package-lock.json')) {
  cpSync(join(ROOT, file), join(copy, file), { recursive: dirname(file) !== '.' });
}
manifest.devDependencies = {
  ...manifest.devDependencies,
  ...pinned,
  express4: `npm:express@${peers.express}`,
};
writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest, null, 2));

function run(command, args) {
  return spawnSync(command, args, { cwd: copy, stdio: 'inherit' }).status === 0;
}

console.log(
  Object.entries(pinned)
    .map(([name, version]) => `${name}@${version}`)
    .join('\n'),
);
const passed =
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--legacy-peer-deps']) &&
  run('npm', ['run', '--silent', 'build']) &&
  run('npx', ['vitest', 'run', '--exclude', 'test/package/**', '--exclude', 'test/docs/**']);
console.log(`lowest versions: ${passed ? 'passed' : 'FAILED'}`);
process.exitCode = passed ? 0 : 1;
