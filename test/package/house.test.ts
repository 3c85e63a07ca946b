import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWN_PROCESS, SHARED_PROCESS } from '../../vitest.config.js';
import { filesOf, withFixtures } from './house.fixture.js';
import { ROOT } from './packed.fixture.js';

/* Rules that keep the tree clear to a newcomer. CONTRIBUTING.md says where a new file goes. */

const MOST_FILES = 15;
const MOST_LINES = 250;

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
  it('has at its top only the front door and what its layers need', () => {
    const atTop = SRC.filter((path) => dirname(path) === 'src');
    expect(atTop).toEqual(['src/index.ts', 'src/runtime.ts']);
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

  it('has the owners of state that CONTRIBUTING.md names', () => {
    const [, table = ''] = /## Who owns which state\n(.*?)\n## /s.exec(textOf('CONTRIBUTING.md')) ?? [];
    const rows = table.split('\n').filter((line) => line.startsWith('|'));
    const owners = rows.flatMap((row) => {
      let folder = 'src';
      return [...row.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name = '']) => {
        // A name alone is in the folder of the one before.
        if (name.includes('/')) folder = dirname(`src/${name}`);
        return `${folder}/${basename(name)}`;
      });
    });
    expect(owners.length).toBeGreaterThan(30);
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

describe('a file', () => {
  const written = ['src', 'test', 'scripts', 'bench', 'examples'].flatMap(filesOf);
  const sources = written.filter((path) => /\.(ts|js|mjs|cjs)$/.test(path));

  it(`has at most ${MOST_LINES} lines`, () => {
    const lines = sources.map((path) => [path, textOf(path).split('\n').length - 1] as const);
    const long = lines.filter(([, count]) => count > MOST_LINES);
    expect(long.map(([path, count]) => `${path}: ${count} lines`)).toEqual([]);
  });

  it('of the tests is a test or says that it is a fixture', () => {
    const inTest = sources.filter((path) => path.startsWith('test/') && path.endsWith('.ts'));
    const isNamed = (path: string) => /\.(test|fixture|d)\.ts$/.test(path);
    expect(inTest.filter((path) => !isNamed(path) && !path.startsWith('test/package/consumer/'))).toEqual([]);
  });
});

describe('a test file that shares its process with others', () => {
  const inFolders = SHARED_PROCESS.flatMap(filesOf).filter((path) => path.endsWith('.test.ts'));
  const files = inFolders.filter((path) => !OWN_PROCESS.includes(path));
  const loaded = [...new Set(files.flatMap((path) => [...withFixtures(path)]))];
  const containing = (pattern: RegExp, paths: Iterable<string> = loaded) =>
    [...paths].filter((path) => pattern.test(textOf(path)));

  it('is there', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(inFolders).toHaveLength(files.length + OWN_PROCESS.length);
  });

  it('replaces no module, global, timer or environment variable', () => {
    expect(
      containing(/\bvi\.(mock|stub|useFakeTimers)|\bprocess\.env\b[^;\n]* = |delete process\.env/),
    ).toEqual([]);
  });

  // `useApps` undoes all of them. A provider for a domain of a test's own disturbs no other test.
  it.each([
    [/\bOpenFeature\.setProvider(?!AndWait\(domain, )/, /\buseApps\(\)|\.clearProviders\(\)/],
    [/\bOpenFeature\.setContext\(/, /\buseApps\(\)|\.setContext\(\{\}\)/],
    [/\.createNestApplication\(|Propagator\(/, /\buse(Apps|Propagator)\(\)|Propagator\(NOOP_/],
    [/\bOpenFeature\.(add|setLogger)/, /nothing/],
  ])('leaves OpenFeature as it was: after %s there is %s', (change, undone) => {
    const isLeft = (path: string) => containing(change, withFixtures(path)).length > 0;
    expect(files.filter((path) => isLeft(path) && !undone.test(textOf(path)))).toEqual([]);
  });

  it('restores a spied method of an object that all files have', () => {
    const spying = containing(/\bvi\.spyOn\((console|process|systemClock|OpenFeature|globalThis|Math)\b/);
    expect(spying.filter((path) => !/\brestoreAllMocks\(|\bmockRestore\(/.test(textOf(path)))).toEqual([]);
  });

  it('gets no hook from the top of a fixture, which runs for the first file only that imports it', () => {
    const fixtures = containing(/^(before|after)(All|Each)\(/m).filter((path) =>
      path.endsWith('.fixture.ts'),
    );
    expect(fixtures).toEqual([]);
  });
});
