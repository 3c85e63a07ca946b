import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linksOf } from '../docs/links.fixture.js';

const ROOT = join(import.meta.dirname, '../..');
const ADDRESS = 'https://github.com/acme/flags';
const PAGES = ['README.md', 'CHANGELOG.md'] as const;

/** A copy of the pages and the manifest, in which the scripts may write. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'repository-'));
  for (const name of [...PAGES, 'package.json']) cpSync(join(ROOT, name), join(folder, name));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');
const textsOf = () => PAGES.map(textOf);
const manifest = () =>
  JSON.parse(textOf('package.json')) as Record<string, unknown> & {
    readonly version: string;
    readonly scripts: Readonly<Record<string, string>>;
  };
const script = (name: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'scripts', name), ...args], { encoding: 'utf8' });
const publish = () => script('publishable.js', join(folder, 'package.json')).status;
const written = (address = ADDRESS) => script('repository.js', address, folder).status;

describe('npm run repository', () => {
  it('writes the address into the manifest, which may be published then', () => {
    expect([manifest().scripts.repository, written()]).toEqual(['node scripts/repository.js', 0]);
    expect(manifest()).toMatchObject({
      repository: { type: 'git', url: `git+${ADDRESS}.git` },
      homepage: `${ADDRESS}#readme`,
      bugs: { url: `${ADDRESS}/issues` },
    });
    expect(publish()).toBe(0);
  });

  it('shows the badges of the README, all of them with addresses', () => {
    written();
    const badges = /^# .*\n\n((?:\[!.*\n)+)\n/.exec(textOf('README.md'))?.[1] ?? '';
    expect(badges.match(/(?<=^\[!\[)[^\]]+/gm)).toEqual(['Tests', 'Version', 'Types', 'API reference']);
    expect(badges).toContain(`(${ADDRESS}/actions/workflows/test.yml/badge.svg)`);
    expect(badges).toContain('(https://acme.github.io/flags/)');
    expect(textsOf().join('')).not.toMatch(/github\.invalid|<!-- badges/);
  });

  it('writes another one in the place of the first', () => {
    written('https://github.com/first-owner/one.git');
    written();
    expect(textsOf().join('') + textOf('package.json')).not.toContain('first-owner');
    expect(textOf('README.md')).toContain('(https://acme.github.io/flags/)');
  });

  it.each(['', 'acme/flags', 'https://github.com/acme'])('refuses %j, and writes nothing', (address) => {
    const before = textsOf();
    const { status, stderr } = script('repository.js', address, folder);
    expect([status, textsOf()]).toEqual([1, before]);
    expect(stderr).toMatch(/^expected an address such as https:\S+, got \S+\n$/);
  });
});

describe('the pages of the tarball', () => {
  it('lead to the repository at this version, and the ones here stay as they were', () => {
    written();
    const before = textsOf();
    const { version, scripts, ...rest } = manifest();
    const links = (command: string) => {
      const [own = ''] = /node scripts\/npm-links\.js[^&]*/.exec(command) ?? [];
      return own.trim().replace('node scripts', `node ${ROOT}/scripts`);
    };
    const prepack = links(scripts.prepack!);
    const postpack = links(scripts.postpack!);
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ ...rest, version, files: ['CHANGELOG.md'], scripts: { prepack, postpack } }),
    );
    const pack = ['pack', '--offline', '--ignore-scripts=false', '--workspaces=false'];
    execFileSync('npm', pack, { cwd: folder, stdio: 'ignore' });
    expect(textsOf()).toEqual(before);
    execFileSync('tar', ['-xzf', `openfeature-flipt-provider-${version}.tgz`], { cwd: folder });
    const packed = PAGES.map((page) => textOf(`package/${page}`));
    expect(packed.flatMap(linksOf).filter((target) => !target.startsWith('#'))).toEqual([]);
    const inside = [
      ...packed.join('').matchAll(/https:\/\/github\.com\/acme\/flags\/(blob|raw)\/([^/]+)\/([^)"#\s]+)/g),
    ];
    expect(inside.length).toBeGreaterThan(30);
    for (const [, kind, tag, path = ''] of inside) {
      expect([tag, kind]).toEqual([`v${version}`, /\.(png|svg)$/.test(path) ? 'raw' : 'blob']);
      expect(existsSync(join(ROOT, path)), path).toBe(true);
    }
  });

  it('stay as they are while the repository has no address', () => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest(), repository: undefined }));
    const before = textsOf();
    expect(script('npm-links.js', folder).status).toBe(0);
    expect(textsOf()).toEqual(before);
  });
});
