/*
 * Runs the suite against the lowest version of every peer that the manifest allows, in a copy of the repository:
 *
 *     npm run test:oldest-peers
 *
 * It leaves out the tests of the tarball and of the pages, which do not depend on peers.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** `^1.20.0 || ^2.0.0` → `1.20.0` */
const lowest = (range) => /\d+\.\d+\.\d+/.exec(range)[0];
const { devDependencies } = manifest;
/**
 * The tests use several major versions of some peers. The lowest of them has a name of its own, such as `express4` or
 * `ioredis5`.
 */
const pin = (name, version) => {
  const alias = `${name}${version.split('.')[0]}`;
  return alias in devDependencies ? [alias, `npm:${name}@${version}`] : [name, version];
};
const peers = Object.entries(manifest.peerDependencies).map(([name, range]) => [name, lowest(range)]);
const { '@nestjs/core': nest } = Object.fromEntries(peers);
const pinned = {
  ...Object.fromEntries(peers.map(([name, version]) => pin(name, version))),
  // Each version of Nest needs the same version of these packages.
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
manifest.devDependencies = { ...devDependencies, ...pinned };
writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest, null, 2));

function run(command, args) {
  return spawnSync(command, args, { cwd: copy, stdio: 'inherit' }).status === 0;
}

console.log(
  Object.entries(pinned)
    .map(([name, version]) => `${name}@${version}`)
    .join('\n'),
);
/** The browser's SDK is no peer, and does not share its core with the server's SDK. It gets the core that it needs. */
function giveBrowserItsCore() {
  for (const name of ['web-sdk', 'react-sdk', 'ofrep-core', 'ofrep-web-provider']) {
    const own = join(copy, 'node_modules/@openfeature', name, 'node_modules/@openfeature');
    mkdirSync(own, { recursive: true });
    rmSync(join(own, 'core'), { recursive: true, force: true });
    symlinkSync(join(ROOT, 'node_modules/@openfeature/core'), join(own, 'core'), 'junction');
  }
  return true;
}

// The folders are named one by one, because the projects of Vitest's configuration ignore its --exclude.
const tested = readdirSync(join(copy, 'test'))
  .filter((name) => name !== 'package' && name !== 'docs' && !name.endsWith('.fixture.ts'))
  .map((name) => (name.endsWith('.ts') ? `test/${name}` : `test/${name}/`));
const passed =
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--legacy-peer-deps']) &&
  giveBrowserItsCore() &&
  run('npm', ['run', '--silent', 'build']) &&
  run('npx', ['vitest', 'run', ...tested, 'examples/']);
console.log(`lowest versions: ${passed ? 'passed' : 'FAILED'}`);
process.exitCode = passed ? 0 : 1;
