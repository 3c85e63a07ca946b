/*
 * Installs the versions of Node that the checks run on, from the packages behind the npm package `node`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every supported line of Node. test.yml has the same list. */
export const LINES = ['20', '22', '24', '26'];

/**
 * Installs these versions into a folder that is removed when the process ends. Returns the program and the exact
 * version of each.
 */
export function installedNodes(wanted) {
  const folder = mkdtempSync(join(tmpdir(), 'nodes-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{}');
  const aliases = wanted.map((one) => `node${one}@npm:node-${process.platform}-${process.arch}@${one}`);
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...options, ...aliases], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`no Node ${wanted.join(', ')} to be had from npm`);
  return wanted.map((one) => {
    const bin = join(folder, 'node_modules', `node${one}`, 'bin');
    const node = join(bin, 'node');
    const { error, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    if (error) throw error;
    return { bin, node, version: stdout.trim() };
  });
}
