/*
 * Builds dist after `npm install`, if it is missing. This is what makes `npm install git+…` work: npm clones the
 * repository, installs the development dependencies, without scripts (.npmrc), then runs `prepare` and packs what that has
 * left. With other settings npm runs it twice, and the second run does nothing. Nor does `npm ci` build, because CI's
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

// npm packs its own clone as it is now. Without this, it warns of a script that the installed package never runs.
if (/[\\/]_cacache[\\/]tmp[\\/]/.test(process.cwd())) await import('./packed-manifest.js');
