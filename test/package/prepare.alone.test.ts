import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const { scripts } = manifestIn('.');
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

  it('leaves itself out of the package where npm packs its clone, and nowhere else', () => {
    const manifest = readFileSync('package.json', 'utf8');
    const ofNpm = join(clone, '_cacache/tmp/git-clone-1');
    mkdirSync(join(ofNpm, 'dist'), { recursive: true });
    writeFileSync(join(ofNpm, 'dist/index.js'), 'built before');
    writeFileSync(join(ofNpm, 'package.json'), manifest);
    writeFileSync(join(clone, 'package.json'), manifest.replace('npm run build', 'node build.cjs'));
    mkdirSync(join(clone, 'dist'));
    writeFileSync(join(clone, 'dist/index.js'), 'built before');
    for (const cwd of [clone, ofNpm]) expect(spawnSync(process.execPath, [script], { cwd }).status).toBe(0);
    const scriptsIn = (folder: string) => Object.keys(manifestIn(folder).scripts);
    expect(scriptsIn(clone)).toContain('prepare');
    expect(scriptsIn(ofNpm)).toEqual(scriptsIn(clone).filter((name) => name !== 'prepare'));
  });

  it('fails if the build fails, so that nobody installs a package without code', () => {
    writeFileSync(join(clone, 'build.cjs'), 'process.exit(3)');
    expect(prepared('install')).not.toBe(0);
  });
});

it('npm pack takes prepare out of the packed package.json, and puts it back', () => {
  expect(scripts.prepack).toMatch(/ && node scripts\/packed-manifest\.js$/);
  expect(scripts.postpack).toMatch(/^node scripts\/packed-manifest\.js --undo && /);
  const folder = mkdtempSync(join(tmpdir(), 'packed-manifest-'));
  const given = readFileSync('package.json', 'utf8');
  writeFileSync(join(folder, 'package.json'), given);
  const packing = (...args: readonly string[]) =>
    spawnSync(process.execPath, [resolve('scripts/packed-manifest.js'), folder, ...args]).status;
  expect(packing()).toBe(0);
  expect(manifestIn(folder).scripts).not.toHaveProperty('prepare');
  expect([packing('--undo'), packing('--undo')]).toEqual([0, 0]);
  expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(given);
  rmSync(folder, { recursive: true });
});
