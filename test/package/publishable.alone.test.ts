import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

it('npm publish runs the check', () => {
  expect(scripts.prepublishOnly).toBe('node scripts/publishable.js');
});

const REPOSITORY = { type: 'git', url: 'git+https://git.test/acme/flags.git' };
const PAGES = { homepage: 'https://git.test/acme/flags#readme', bugs: { url: 'https://git.test/issues' } };
const NOWHERE = 'https://github.invalid/OWNER/openfeature-flipt-provider';

it.each<[object, readonly string[]]>([
  [{}, ['repository', 'homepage', 'bugs']],
  [{ ...PAGES, repository: '' }, ['repository']],
  [{ ...PAGES, repository: { type: 'git' } }, ['repository']],
  [{ ...PAGES, repository: { type: 'git', url: `git+${NOWHERE}.git` } }, ['repository']],
  [
    { repository: REPOSITORY, homepage: `${NOWHERE}#readme`, bugs: `${NOWHERE}/issues` },
    ['homepage', 'bugs'],
  ],
  [{ repository: REPOSITORY, homepage: 'soon', bugs: {} }, ['homepage', 'bugs']],
  [{ ...PAGES, repository: 'github:acme/flags' }, []],
  [{ ...PAGES, repository: REPOSITORY, bugs: 'https://git.test/issues' }, []],
])('a manifest with %j is refused for %j', (manifest, wrong) => {
  const folder = mkdtempSync(join(tmpdir(), 'publishable-'));
  const path = join(folder, 'package.json');
  writeFileSync(path, JSON.stringify(manifest));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/publishable.js', path], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  const named = [...stderr.matchAll(/^package\.json: (\w+): expected the address of /gm)].map(
    ([, name]) => name,
  );
  expect([status, named]).toEqual([wrong.length === 0 ? 0 : 1, wrong]);
  expect(stderr.includes('npm run repository -- https://')).toBe(wrong.length > 0);
});
