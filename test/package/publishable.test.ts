import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const { scripts, repository } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  repository?: unknown;
};

it('npm publish runs the check', () => {
  expect(scripts.prepublishOnly).toBe('node scripts/publishable.js');
  const { status } = spawnSync(process.execPath, ['scripts/publishable.js']);
  expect(status).toBe(repository === undefined ? 1 : 0);
});

it.each([
  [{}, 1],
  [{ repository: '' }, 1],
  [{ repository: { type: 'git' } }, 1],
  [{ repository: 'github:acme/flags' }, 0],
  [{ repository: { type: 'git', url: 'git+https://git.test/acme/flags.git' } }, 0],
])('a manifest with %j ends it with %i', (manifest, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'publishable-'));
  const path = join(folder, 'package.json');
  writeFileSync(path, JSON.stringify(manifest));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/publishable.js', path], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect([status, stderr.includes('repository: expected')]).toEqual([code, code === 1]);
});
