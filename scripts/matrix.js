/*
 * The whole suite on every supported line of Node, one after another:
 *
 *     npm run test:matrix            Node 20, 22, 24 and 26
 *     npm run test:matrix -- 22      only that one
 *
 * Each Node comes from the packages that the npm package `node` stands for, put into a temporary folder.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const lines = given.length > 0 ? given : ['20', '22', '24', '26'];

const folder = mkdtempSync(join(tmpdir(), 'nodes-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  return status === 0;
}

writeFileSync(join(folder, 'package.json'), '{}');
const aliases = lines.map((line) => `node${line}@npm:node-${process.platform}-${process.arch}@${line}`);
if (!run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...aliases], { cwd: folder })) {
  process.exit(1);
}
if (!run('npm', ['run', '--silent', 'build'])) process.exit(1);

const results = lines.map((line) => {
  const bin = join(folder, 'node_modules', `node${line}`, 'bin');
  if (!readdirSync(bin).includes('node')) return { line, passed: false };
  const node = join(bin, 'node');
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  console.log(`\n== Node ${version} ==`);
  // In front of the path too: some tests start npm, the command and other programs.
  const env = { ...process.env, PATH: bin + delimiter + (process.env.PATH ?? '') };
  const passed = run(node, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'], { env });
  return { line: version, passed };
});

console.log('');
for (const { line, passed } of results) console.log(`Node ${line}: ${passed ? 'passed' : 'FAILED'}`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
