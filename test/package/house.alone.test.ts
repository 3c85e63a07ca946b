import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf } from './house.fixture.js';
import { ROOT } from './packed.fixture.js';

/* Rules that keep the tree clear to a newcomer. CONTRIBUTING.md says where a new file goes. */

const MOST_FILES = 20;

const SRC = filesOf('src');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Named = readonly (readonly [name: string, member: string])[];

function grouped(members: Named): readonly (readonly [name: string, members: readonly string[]])[] {
  const names = [...new Set(members.map(([name]) => name))];
  return names.map((name) => [name, members.flatMap(([other, member]) => (other === name ? member : []))]);
}

/** The names with more than one member, as lines of `name: member, member`. */
const shared = (members: Named) =>
  grouped(members).flatMap(([name, its]) => (its.length > 1 ? `${name}: ${its.join(', ')}` : []));

describe('src', () => {
  it('has at its top only the front door and fourteen rooms at most', () => {
    const atTop = SRC.filter((path) => dirname(path) === 'src');
    expect(atTop).toEqual(['src/index.ts']);
  });

  it(`has at most ${MOST_FILES} files in a folder`, () => {
    const folders = grouped(SRC.map((path) => [dirname(path), path]));
    const full = folders.filter(([, files]) => files.length > MOST_FILES);
    expect(full.map(([folder, files]) => `${folder}: ${files.length} files`)).toEqual([]);
  });

  it('has no two files with the same name, so that a name finds its file', () => {
    const named = SRC.map((path) => [basename(path), path] as const);
    expect(shared(named.filter(([name]) => name !== 'index.ts'))).toEqual([]);
  });

  it('has the owners of state, and the places of decisions, that docs/how-it-works.md names', () => {
    const [, table = ''] = /## Where things are decided\n(.*)/s.exec(textOf('docs/how-it-works.md')) ?? [];
    const rows = table.split('\n').filter((line) => line.startsWith('|'));
    const owners = rows.flatMap((row) => {
      let folder = 'src';
      return [...row.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name = '']) => {
        // A name alone is in the folder of the one before.
        if (name.includes('/')) folder = dirname(`src/${name}`);
        return `${folder}/${basename(name)}`;
      });
    });
    expect(owners.length).toBeGreaterThan(45);
    expect(owners.filter((path) => !SRC.includes(path))).toEqual([]);
  });

  it('exports no two types with the same name', () => {
    const declared = /^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm;
    // A features file and the client's answers use the field's same words for the same things.
    const own = SRC.filter((path) => path !== 'src/engine/features.ts');
    const types = own.flatMap((path) =>
      [...textOf(path).matchAll(declared)].map(([, name = '']) => [name, path] as const),
    );
    expect(types.length).toBeGreaterThan(50);
    expect(shared(types)).toEqual([]);
  });
});

it('docs/how-it-works.md names the rooms of src, and no others', () => {
  const [, table = ''] = /## The rooms of `src`\n(.*?)\n## /s.exec(textOf('docs/how-it-works.md')) ?? [];
  const named = [...table.matchAll(/^\| `([\w.]+)\/?` /gm)].map(([, name = '']) => name);
  const rooms = new Set(SRC.map((path) => path.split('/')[1] ?? ''));
  expect(named.toSorted()).toEqual([...rooms].sort());
  expect(named.length).toBeLessThanOrEqual(14);
});

describe('a file', () => {
  const written = ['src', 'test', 'scripts', 'bench', 'examples'].flatMap(filesOf);
  const sources = written.filter((path) => /\.(ts|js|mjs|cjs)$/.test(path));

  it('of the tests is a test or says that it is a fixture', () => {
    const inTest = sources.filter((path) => path.startsWith('test/') && path.endsWith('.ts'));
    const isNamed = (path: string) => /\.(test|fixture|d)\.ts$/.test(path);
    expect(inTest.filter((path) => !isNamed(path) && !path.startsWith('test/package/consumer/'))).toEqual([]);
  });
});
