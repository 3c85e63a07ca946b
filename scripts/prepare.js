/*
 * Builds dist after `npm install` if it is missing, so that `npm install git+…` works: npm clones the repository,
 * installs the development dependencies without their scripts (.npmrc), runs `prepare`, and packs the result. If npm
 * runs it twice, as with some settings, the second run does nothing. It does not build after `npm ci`, because CI's
 * `npm test` builds anyway.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

if (!existsSync('dist/index.js') && process.env.npm_command !== 'ci') {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}

// npm now packs its own clone. Without this, npm would warn of a script that the installed package never runs.
if (/[\\/]_cacache[\\/]tmp[\\/]/.test(process.cwd())) await import('./packed-manifest.js');
