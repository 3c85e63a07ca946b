import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { installedFor, NAME, packed, ROOT, run, type Packed } from './packed.fixture.js';

let the: Packed;
let consumer: string;
let dist: string;

beforeAll(async () => {
  the = await packed();
  consumer = await the.consumer('budgets', true);
  dist = join(realpathSync(installedFor(consumer)), 'dist');
});

interface Load {
  readonly url: string;
  readonly by: string;
}

async function imported(entry: string): Promise<readonly Load[]> {
  await copyFile(join(import.meta.dirname, 'consumer/loaded.mjs'), join(consumer, 'loaded.mjs'));
  const { stdout } = await run(process.execPath, ['loaded.mjs', entry], { cwd: consumer });
  const lines = stdout.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Load);
}

async function required(entry: string): Promise<readonly string[]> {
  const script = `require('${entry}'); console.log(JSON.stringify(Object.keys(require.cache)))`;
  const { stdout } = await run(process.execPath, ['-e', script], { cwd: consumer });
  return JSON.parse(stdout) as readonly string[];
}

const ours = (file: string) => file.startsWith(dist);

/** The files of `src` from which a file was made: by its source map or, without one, by the bundler's comments. */
function sourcesOf(file: string): readonly string[] {
  if (existsSync(`${file}.map`)) {
    const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: readonly string[] };
    return sources.map((source) => source.replace('../src/', ''));
  }
  return [...readFileSync(file, 'utf8').matchAll(/^\/\/ src\/(.+)$/gm)].map(([, source = '']) => source);
}
const OTHERS = /^(local|express|nest|redis|client|opentelemetry|lint|command|features\/yaml)\//;

function expectFrontDoorAlone(loaded: readonly string[]): void {
  const sources = loaded.flatMap(sourcesOf);
  expect(sources).toContain('provider/provider.ts');
  expect(sources.filter((source) => OTHERS.test(source))).toEqual([]);
}

describe('an import of the front door', () => {
  let loads: readonly Load[];
  let files: readonly string[];
  beforeAll(async () => {
    loads = await imported(NAME);
    const isOurs = ({ url }: Load) => url.startsWith(pathToFileURL(dist).href);
    files = [...new Set(loads.filter(isOurs).map(({ url }) => new URL(url).pathname))];
  });

  it('says how many bytes of ours it loads', () => {
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    console.log(`openfeature-flipt-provider loads ${bytes} bytes in ${files.length} files`);
    expect(files.length).toBeGreaterThan(0);
  });

  it('loads neither yaml nor code of any other entry', () => {
    expect(loads.filter(({ url }) => /node_modules\/yaml\//.test(url))).toEqual([]);
    expectFrontDoorAlone(files);
  });

  it('leaves nothing to load until the close', async () => {
    await copyFile(join(import.meta.dirname, 'consumer/loaded-later.mjs'), join(consumer, 'later.mjs'));
    const { stdout } = await run(process.execPath, ['later.mjs'], { cwd: consumer });
    expect(stdout).toBe('value true\nbeside a bad flag true\nall true\nreason STALE\n');
  });

  it('keeps nothing of the request whose call is the first', async () => {
    await copyFile(join(import.meta.dirname, 'consumer/kept-request.mjs'), join(consumer, 'kept.mjs'));
    for (const call of ['resolve', 'evaluateAll', 'explain']) {
      const { stdout } = await run(process.execPath, ['--expose-gc', 'kept.mjs', call], { cwd: consumer });
      expect(stdout).toBe(`${call}: freed\n`);
    }
  });

  it('loads as little as CommonJS', async () => {
    const all = await required(NAME);
    expectFrontDoorAlone(all.filter(ours));
    expect(all.filter((file) => /\/node_modules\/yaml\//.test(file))).toEqual([]);
  });
});

describe('the package', () => {
  it('takes little room', () => {
    const files = readdirSync(the.folder, { withFileTypes: true, recursive: true }).filter((file) =>
      file.isFile(),
    );
    const size = (some: typeof files) =>
      some.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
    const maps = files.filter(({ name }) => name.endsWith('.map'));
    const unpacked = size(files) - size(maps);
    console.log(
      `tarball ${statSync(the.tarball).size} bytes, unpacked ${unpacked} bytes and source maps ${size(maps)} bytes`,
    );
    // The source maps are not counted, because most of their text is the comments and the code of src: a limit would only
    // forbid comments. They have no text of other packages, as tarball.alone.test.ts shows.
    expect(unpacked).toBeLessThan(2_500_000);
  });

  it('brings the dependencies that it names, and they bring none', () => {
    const read = (file: string) =>
      JSON.parse(readFileSync(file, 'utf8')) as { readonly dependencies?: Readonly<Record<string, string>> };
    const direct = Object.keys(read(join(the.folder, 'package.json')).dependencies ?? {});
    expect(direct.sort()).toEqual(['yaml']);
    const below = direct.flatMap((name) =>
      Object.keys(read(join(ROOT, 'node_modules', name, 'package.json')).dependencies ?? {}),
    );
    expect(below).toEqual([]);
  });

  it('lists only these in a production install', async () => {
    const { stdout } = await run('npm', ['ls', '--all', '--json', '--omit=dev', '--workspaces=false'], {
      cwd: ROOT,
    });
    interface Tree {
      readonly dependencies?: Readonly<Record<string, Tree>>;
    }
    const direct = Object.entries((JSON.parse(stdout) as Tree).dependencies ?? {});
    const listed = direct.map(([name, tree]) => [name, ...Object.keys(tree.dependencies ?? {})].join(' > '));
    expect(listed).toEqual(['yaml']);
  });
});
