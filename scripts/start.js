/*
 * Runs the Express example with the package of this clone. If the sources are newer than dist, it builds first, and
 * says so, because that takes a while. With --built, it uses dist as it is.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const ROOT = join(import.meta.dirname, '..');
const DOT_EVERY_MS = 1_000;

const changedAt = (name) => statSync(join(ROOT, name)).mtimeMs;
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((name) =>
  join('src', name),
);
const built = ['dist/index.js', 'dist/local.js', 'dist/express.js'];
const isBuilt =
  process.argv.includes('--built') ||
  (built.every((name) => existsSync(join(ROOT, name))) &&
    Math.max(...[...sources, 'package.json', 'etc/tsup.config.ts'].map(changedAt)) <
      Math.min(...built.map(changedAt)));

if (!existsSync(join(ROOT, 'node_modules'))) {
  console.error('The dependencies are missing: run npm ci first.');
  process.exit(1);
}
if (!isBuilt) {
  process.stdout.write('Building the package: about 20 seconds, and only when it has changed ');
  const dots = setInterval(() => process.stdout.write('.'), DOT_EVERY_MS);
  const build = spawn('npm', ['run', '--silent', 'build'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [code] = await once(build, 'close');
  clearInterval(dots);
  process.stdout.write('\n');
  if (code !== 0) process.exit(code ?? 1);
}
if (!process.argv.includes('--once')) {
  const what = process.env.FLIPT_URL ? 'the app' : 'Flipt and the app';
  console.log(`Starting ${what} in this process …`);
}
await import('../examples/express/main.js');
