/*
 * Tests the package on the lowest version of Node that the manifest allows:
 *
 *     npm run test:oldest-node
 *
 * The consumers of test/package run there: each entry as an ES module and as CommonJS, and the command. Vitest, which
 * needs a newer Node, packs, compiles and starts them.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedNodes } from './nodes.js';

const ROOT = join(import.meta.dirname, '..');
const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** `>=20` → `20.0.0` */
function lowest(range) {
  const [, major, minor = '0', patch = '0'] = /^>=(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range) ?? [];
  if (major === undefined) throw new Error(`engines.node: expected >= and a version, got ${range}`);
  return `${major}.${minor}.${patch}`;
}

const [{ node, version }] = installedNodes([lowest(engines.node)]);
const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);

const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', 'test/package/consumers.alone.test.ts'];
const { status, stdout } = spawnSync(process.execPath, vitest, {
  cwd: ROOT,
  env: { ...process.env, CONSUMER_NODE: node },
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.stdout.write(stdout);
const passed = status === 0 && stdout.includes(`the consumers run on Node ${version}`);
console.log(`Node ${version}, the lowest: ${passed ? 'passed' : 'FAILED'}`);
process.exitCode = passed ? 0 : 1;
