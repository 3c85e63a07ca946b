import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FEATURES = join(ROOT, 'test/recordings/evaluation/alpha.v2.features.yml');

it('a features file is laid out by namespaces, to the letter: quotes make a date text', () => {
  const folder = mkdtempSync(join(tmpdir(), 'namespaces-'));
  execFileSync(process.execPath, [join(ROOT, 'scripts/namespace-folders.js'), FEATURES, folder]);
  const laidOut = ['default', 'team'].map((name) =>
    readFileSync(join(folder, name, 'features.yaml'), 'utf8'),
  );
  rmSync(folder, { recursive: true });
  expect(laidOut.join('---\n')).toBe(readFileSync(FEATURES, 'utf8').replace(/^---\n/, ''));
});
