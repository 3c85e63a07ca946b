/**
 * Makes the tarball of a clone in about a minute. It installs only the packages that the build needs, and says what it
 * does. `npm install git+…` would install those that the tests need, too, and say nothing.
 *
 *   node scripts/tarball.js          writes openfeature-flipt-provider-VERSION.tgz into this folder
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const clone = join(import.meta.dirname, '..');
/** The compilers, the packages that the build inlines, and the packages whose types the sources use. */
const NEEDED = [
  ...JSON.parse(readFileSync(join(clone, 'etc/inlined.json'), 'utf8')),
  '@nestjs/common',
  '@nestjs/core',
  '@openfeature/core',
  '@openfeature/server-sdk',
  '@opentelemetry/api',
  '@types/express',
  '@types/node',
  '@typescript/native',
  'esbuild',
  'reflect-metadata',
  'rxjs',
  'tsup',
  'typescript',
];
const PARTS = ['.npmrc', 'CHANGELOG.md', 'LICENSE', 'README.md', 'etc', 'scripts', 'src'];
const LOCKED = ['package-lock.json', 'tsconfig.json'];

const folder = mkdtempSync(join(tmpdir(), 'tarball-'));
const run = (says, command, ...args) => {
  console.log(`tarball: ${says}`);
  const { status } = spawnSync(command, args, {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} has failed`);
};

try {
  for (const part of [...PARTS, ...LOCKED])
    cpSync(join(clone, part), join(folder, part), { recursive: true });
  const given = readFileSync(join(clone, 'package.json'), 'utf8');
  const { overrides, devDependencies, ...manifest } = JSON.parse(given);
  const needed = Object.fromEntries(NEEDED.map((name) => [name, devDependencies[name]]));
  const { rollup } = overrides;
  const only = { ...manifest, workspaces: [], devDependencies: needed, overrides: { rollup } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(only));
  run(
    `installs ${NEEDED.length} packages that the build needs`,
    'npm',
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  );
  run('builds', 'npm', 'run', '--silent', 'build');
  writeFileSync(join(folder, 'package.json'), given);
  run('packs', 'node', 'scripts/npm-links.js');
  run('takes prepare out of package.json', 'node', 'scripts/packed-manifest.js');
  run(`writes into ${process.cwd()}`, 'npm', 'pack', '--ignore-scripts', '--pack-destination', process.cwd());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
