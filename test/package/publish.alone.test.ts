import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from './packed.fixture.js';

it('npm publish in a fresh clone builds what it publishes, and leaves the sources as they are', () => {
  const clone = mkdtempSync(join(tmpdir(), 'publish-'));
  onTestFinished(() => {
    rmSync(clone, { recursive: true });
  });
  cpSync(join(ROOT, '.npmrc'), join(clone, '.npmrc'));
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8').replace(
    'tsup --silent',
    'node build.cjs',
  );
  writeFileSync(join(clone, 'package.json'), manifest);
  writeFileSync(
    join(clone, 'build.cjs'),
    "const fs = require('fs'); fs.mkdirSync('dist'); fs.writeFileSync('dist/index.js', '')",
  );

  // `npm publish` packs in the same way, but asks the registry.
  const output = execFileSync('npm', ['pack', '--dry-run', '--json'], {
    cwd: clone,
    encoding: 'utf8',
    stdio: 'pipe',
  });

  const [{ files }] = JSON.parse(output) as [{ readonly files: readonly { readonly path: string }[] }];
  expect(files.map(({ path }) => path)).toContain('dist/index.js');
  expect(readFileSync(join(clone, 'package.json'), 'utf8')).toBe(manifest);
});
