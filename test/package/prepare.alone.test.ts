import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const script = resolve('scripts/prepare.js');

const BUILD = "const fs = require('fs'); fs.mkdirSync('dist'); fs.writeFileSync('dist/index.js', 'built');";

/** What `npm install git+…` runs in its clone. */
describe('npm run prepare', () => {
  let clone: string;
  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'prepare-'));
    writeFileSync(join(clone, 'package.json'), JSON.stringify({ scripts: { build: 'node build.cjs' } }));
    writeFileSync(join(clone, 'build.cjs'), BUILD);
  });
  afterEach(() => {
    rmSync(clone, { recursive: true });
  });
  const prepared = (command: string) =>
    spawnSync(process.execPath, [script], { cwd: clone, env: { ...process.env, npm_command: command } })
      .status;

  it('is the script that npm runs', () => {
    expect(scripts.prepare).toBe('node scripts/prepare.js');
  });

  it('comes after an install of development dependencies that runs none of their scripts', () => {
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });

  it('builds what a clone does not have', () => {
    expect(prepared('install')).toBe(0);
    expect(readFileSync(join(clone, 'dist/index.js'), 'utf8')).toBe('built');
  });

  it('builds only once: npm runs it twice', () => {
    mkdirSync(join(clone, 'dist'));
    writeFileSync(join(clone, 'dist/index.js'), 'built before');
    expect(prepared('install')).toBe(0);
    expect(readFileSync(join(clone, 'dist/index.js'), 'utf8')).toBe('built before');
  });

  it('leaves the build to the next command after npm ci', () => {
    expect(prepared('ci')).toBe(0);
    expect(existsSync(join(clone, 'dist'))).toBe(false);
  });

  it('fails if the build fails, so that nobody installs a package without code', () => {
    writeFileSync(join(clone, 'build.cjs'), 'process.exit(3)');
    expect(prepared('install')).not.toBe(0);
  });
});
