import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packed, ROOT, run, type Packed } from './packed.fixture.js';

interface Manifest {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: Readonly<Record<string, string>>;
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
}

let the: Packed;
let manifest: Manifest;

beforeAll(async () => {
  the = await packed();
  manifest = JSON.parse(readFileSync(join(the.folder, 'package.json'), 'utf8')) as Manifest;
});

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
const dist = (ending: RegExp) => filesOf(join(the.folder, 'dist')).filter((name) => ending.test(name));
const text = (name: string) => readFileSync(join(the.folder, name), 'utf8');
/** All file names that a manifest names, however deep. */
const targets = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(targets);

describe('the tarball', () => {
  it('holds dist, README, CHANGELOG, LICENSE and package.json, and nothing else', () => {
    const outside = filesOf(the.folder).filter((name) => !name.startsWith('dist/'));
    expect(outside).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    const known =
      /^((index|client|local|express|nest|opentelemetry|ofrep|redis|cli)\.c?js(\.map)?|[\w-]+(\.d-[\w-]+)?\.d\.c?ts|assets\/[\w-]+\.(html|css|js))$/;
    expect(dist(/./).filter((name) => !known.test(name))).toEqual([]);
  });

  it('holds every file that its manifest names', () => {
    const named = [...targets(manifest.exports), ...targets(manifest.bin)];
    expect(named.filter((name) => !existsSync(join(the.folder, name)))).toEqual([]);
  });

  it('says in its changelog what its version brings', () => {
    const versions = [...text('CHANGELOG.md').matchAll(/^## \[(.+)\] - \d{4}-\d{2}-\d{2}$/gm)];
    expect(versions.map(([, version]) => version)).toContain(manifest.version);
  });

  it('runs nothing when it is installed', () => {
    const hooks = [
      'preinstall',
      'install',
      'postinstall',
      'prepublish',
      'preprepare',
      'prepare',
      'postprepare',
    ];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
    expect(existsSync(join(the.folder, 'binding.gyp'))).toBe(false);
  });

  it('names no folder of the machine that it was built on', () => {
    const folders = [ROOT, homedir(), tmpdir()].filter((folder) => folder.length > 1);
    const namesFolder = (name: string) =>
      folders.some((folder) => text(`dist/${name}`).includes(`${folder}/`));
    expect(dist(/./).filter(namesFolder)).toEqual([]);
  });

  it('contains no code of other packages', () => {
    const maps = dist(/\.map$/).map((name) => JSON.parse(text(`dist/${name}`)) as SourceMap);
    const sources = maps.flatMap((map) => map.sources);
    // tsup's three lines give CommonJS its `import.meta.url`.
    const known = /^\.\.\/(src|node_modules\/tsup\/assets)\//;
    expect(sources.filter((source) => !known.test(source))).toEqual([]);
  });

  it('names functions in stack traces, and the lines of src in those that follow source maps', async () => {
    const folder = await the.consumer('stack', false);
    const failing = `import { FliptProvider } from 'openfeature-flipt-provider';
      try { new FliptProvider({ url: 5 }) } catch (error) { console.log(error.stack) }`;
    const stack = async (...options: readonly string[]) => {
      const args = [...options, '--input-type=module', '-e', failing];
      return (await run(process.execPath, args, { cwd: folder })).stdout;
    };
    const frames = /at checkOptions \(.*dist\/index\.js:\d+:\d+\)\n(?:.*\n)*.* at new FliptProvider \(/;
    expect(await stack()).toMatch(frames);
    const path = 'src/options/check-options.ts';
    const mapped = new RegExp(`at checkOptions \\(.*${path}:(\\d+):`).exec(
      await stack('--enable-source-maps'),
    );
    const map = JSON.parse(text('dist/index.js.map')) as SourceMap;
    const lines = map.sourcesContent[map.sources.indexOf(`../${path}`)]?.split('\n');
    expect(lines?.[Number(mapped?.[1]) - 1]).toContain('throw new TypeError(');
  });

  it('imports nothing but what its manifest declares, and what Node has', () => {
    const imported =
      /^(?:import|export|\})[^"'\n]*["']([^"'.][^"']*)["'];$|\b(?:require|import)\(["']([^"'.][^"']*)["']\)/gm;
    // An example in a doc comment may import the packages of its reader.
    const code = (name: string) => text(`dist/${name}`).replace(/^\s*\*.*$/gm, '');
    const found = dist(/\.c?js$|\.d\.c?ts$/).flatMap((name) =>
      [...code(name).matchAll(imported)].map(([, named, called]) => named ?? called ?? ''),
    );
    const peers = (JSON.parse(text('package.json')) as { peerDependencies: object }).peerDependencies;
    const declared = [
      ...Object.keys(manifest.dependencies),
      ...Object.keys(peers),
      'openfeature-flipt-provider',
    ];
    const isDeclared = (specifier: string) =>
      declared.some((name) => specifier === name || specifier.startsWith(`${name}/`));
    const { builtinModules } = process.getBuiltinModule('node:module');
    const isNodes = (specifier: string) => builtinModules.includes(specifier.replace(/^node:/, ''));
    const unknown = found.filter((specifier) => !isDeclared(specifier) && !isNodes(specifier));
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('pleases publint, strictly', async () => {
    const { stdout } = await run(join(ROOT, 'node_modules/.bin/publint'), ['run', '--strict', the.tarball]);
    expect(stdout).toContain('All good!');
  });

  it('pleases arethetypeswrong for Node and bundlers', async () => {
    const attw = join(ROOT, 'node_modules/.bin/attw');
    await expect(run(attw, [the.tarball, '--profile', 'node16', '--no-color'])).resolves.toBeDefined();
  });
});
