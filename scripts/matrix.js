/*
 * Runs the whole suite on every supported line of Node, one after another:
 *
 *     npm run test:matrix            Node 20, 22, 24 and 26
 *     npm run test:matrix -- 22      only that one
 */
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { installedNodes, LINES } from './nodes.js';

const ROOT = join(import.meta.dirname, '..');
const given = process.argv.slice(2);

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  return status === 0;
}

const nodes = installedNodes(given.length > 0 ? given : LINES);
if (!run('npm', ['run', '--silent', 'build'])) process.exit(1);

const results = nodes.map(({ bin, node, version }) => {
  console.log(`\n== Node ${version} ==`);
  // First in the PATH, too, because some tests start npm, the command and other programs.
  const env = { ...process.env, PATH: bin + delimiter + (process.env.PATH ?? '') };
  const passed = run(node, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'], { env });
  return { version, passed };
});

console.log('');
for (const { version, passed } of results) console.log(`Node ${version}: ${passed ? 'passed' : 'FAILED'}`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
