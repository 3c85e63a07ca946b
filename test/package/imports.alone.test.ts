import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesOf } from './house.fixture.js';
import { ROOT } from './packed.fixture.js';

type Places = Readonly<Record<string, readonly string[]>>;

const CONFIG = createRequire(import.meta.url)(join(ROOT, 'etc/imports.cjs')) as {
  readonly forbidden: (IForbiddenRuleType & { readonly name: string })[];
  readonly house: {
    readonly MAY_IMPORT: Places;
    readonly MAY_IMPORT_LESS: Places;
    readonly ONLY_IN: Places;
  };
};
const { MAY_IMPORT, MAY_IMPORT_LESS, ONLY_IN } = CONFIG.house;
const EVERY_PLACE: Places = { ...MAY_IMPORT, ...MAY_IMPORT_LESS };

/** The imports of each file. */
type Tree = Readonly<Record<string, readonly string[]>>;

/** Checks a tree of files that contain only these imports. Returns lines of `rule: importer → imported`. */
async function violations(tree: Tree): Promise<readonly string[]> {
  const base = mkdtempSync(join(tmpdir(), 'imports-'));
  try {
    for (const [file, imports] of Object.entries(tree)) {
      const path = join(base, file);
      mkdirSync(dirname(path), { recursive: true });
      const lines = imports.map((name) => `import '${specifier(file, name, tree)}';`);
      writeFileSync(path, [...lines, 'export {};', ''].join('\n'));
    }
    for (const name of ['package.json', 'node_modules']) symlinkSync(join(ROOT, name), join(base, name));
    const { output } = await cruise(['src'], {
      baseDir: base,
      validate: true,
      preserveSymlinks: true,
      doNotFollow: { path: 'node_modules' },
      ruleSet: { forbidden: CONFIG.forbidden },
    });
    const found = (output as ICruiseResult).summary.violations;
    return found.map(({ rule, from, to }) => `${rule.name}: ${shown(from)} → ${shown(to)}`).sort();
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** The name of a package without a path in it. */
const shown = (path: string) => path.replace(/^node_modules\/((@[\w-]+\/)?[\w-]+)\/.*/, '$1');

function specifier(importer: string, name: string, tree: Tree): string {
  if (tree[name] === undefined) return name;
  const path = relative(dirname(importer), name).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

const isFolder = (place: string) => place.endsWith('/');
/** The file that represents a place. */
const leaf = (place: string) => `src/${isFolder(place) ? `${place}leaf.ts` : place}`;
const isWithin = (file: string, places: readonly string[]) =>
  places.some((place) => file.startsWith(`src/${place}`));
const LEAVES = Object.keys(EVERY_PLACE).map(leaf);
/** The file of a place that imports all the others. */
const importer = (place: string) => `src/${isFolder(place) ? `${place}planted.ts` : place}`;

const nameOf = (text: string) => text.replace(/\W+/g, '-').replace(/^-|-$/g, '');

describe('each place of src', () => {
  let found: readonly string[];
  beforeAll(async () => {
    const leaves = Object.fromEntries(LEAVES.map((file) => [file, []]));
    const importers = Object.keys(EVERY_PLACE).map((place) => {
      const file = importer(place);
      return [file, LEAVES.filter((other) => other !== file)] as const;
    });
    found = await violations({ ...leaves, ...Object.fromEntries(importers) });
  });

  it.each(Object.entries(EVERY_PLACE))('%s may import only what is listed for it', (place, allowed) => {
    const file = importer(place);
    const forbidden = LEAVES.filter((other) => !isWithin(other, [place, ...allowed]));
    const rule = `${nameOf(place)}-imports`;
    const expected = forbidden.map((other) => `${rule}: ${file} → ${other}`);
    const reported = found.filter((line) => line.startsWith(`${rule}: ${file} `));
    expect(reported).toEqual(expected.sort());
    expect(expected).not.toEqual([]);
  });
});

/** The module that represents all modules of a scope. */
const LEADING: Readonly<Record<string, string>> = { '@nestjs': 'common', '@opentelemetry': 'api' };

/** A module of each package that only some places may import. */
const MODULES = Object.keys(ONLY_IN).map((name) =>
  name.startsWith('@') ? `${name}/${LEADING[name] ?? 'server-sdk'}` : name,
);

/** For each rule that is not about one place: a file, its import, and which other files there are. */
const PLANTED: readonly (readonly [rule: string, file: string, imported: string, others?: Tree])[] = [
  ...MODULES.map(
    (name) =>
      [`${nameOf(name.replace(/^(@\w+)\/.*/, '$1'))}-in-its-place`, 'src/model/planted.ts', name] as const,
  ),
  ['http-in-its-place', 'src/http/planted.ts', 'node:http'],
  ['fs-in-its-place', 'src/remote/cache/planted.ts', 'node:fs/promises'],
  ['every-file-has-a-place', 'src/misc/planted.ts', 'src/base/text/leaf.ts', { 'src/base/text/leaf.ts': [] }],
  ['every-file-has-a-place', 'src/planted.ts', 'src/base/text/leaf.ts', { 'src/base/text/leaf.ts': [] }],
  [
    'network-in-its-place',
    'src/remote/cache/planted.ts',
    'src/base/network-modules.ts',
    { 'src/base/network-modules.ts': [] },
  ],
  [
    'no-circular',
    'src/base/text/planted.ts',
    'src/base/text/wheel.ts',
    { 'src/base/text/wheel.ts': ['src/base/text/planted.ts'] },
  ],
  ['not-to-dev', 'src/adapters/nest/planted.ts', '@nestjs/testing'],
  ['not-to-dev', 'src/adapters/express/planted.ts', 'express-session'],
  ['not-to-dev', 'src/base/text/planted.ts', 'oxfmt'],
  ['not-to-dev', 'src/base/text/planted.ts', 'accepts'],
  ['not-to-test', 'src/base/text/planted.ts', 'test/leaf.ts', { 'test/leaf.ts': [] }],
];

describe('the other rules', () => {
  let found: readonly string[];
  beforeAll(async () => {
    const tree: Record<string, readonly string[]> = {};
    for (const [, file, imported, others = {}] of PLANTED) {
      Object.assign(tree, others);
      tree[file] = [...(tree[file] ?? []), imported];
    }
    found = await violations(tree);
  });

  it.for(PLANTED)('%s: reports %s importing %s', ([rule, file, imported]) => {
    expect(found).toContain(`${rule}: ${file} → ${imported.replace(/^node:/, '')}`);
  });

  it('are all planted', () => {
    const planted = [
      ...Object.keys(EVERY_PLACE).map((place) => `${nameOf(place)}-imports`),
      ...PLANTED.map(([rule]) => rule),
    ];
    expect([...new Set(planted)].sort()).toEqual(CONFIG.forbidden.map(({ name }) => name).sort());
  });
});

describe('the places that the rules name', () => {
  const lists = [EVERY_PLACE, ONLY_IN].flatMap((places) => Object.values(places).flat());
  const named = [...new Set([...Object.keys(EVERY_PLACE), ...lists])];
  const files = filesOf('src');
  const isThere = (place: string) =>
    files.some((file) => (isFolder(place) ? isWithin(file, [place]) : file === `src/${place}`));

  it('have files, unless they are declared as coming', () => {
    expect(named.filter((place) => !isThere(place)).sort()).toEqual([]);
  });
});
