import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { compiled, installedFor, packed, ROOT, run, type Complaint, type Packed } from './packed.fixture.js';

/*
 * The consumers use every entry. Their sources are compiled with each way in which TypeScript finds modules, against
 * the types in the tarball. The result is run.
 */

const SOURCES = join(import.meta.dirname, 'consumer');

// Compiling with all types of the frameworks is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

/** The Node that runs them. scripts/oldest-node.js names one that is too old for Vitest. */
const NODE = process.env.CONSUMER_NODE ?? process.execPath;

const RESOLUTIONS = {
  /**
   * Does not know `exports`. Many Nest apps are still compiled like this, with TypeScript 5. Later versions refuse it.
   */
  node10: { module: 'commonjs', moduleResolution: 'node10' },
  node16: { module: 'node16', moduleResolution: 'node16' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
} as const;

interface Compilation {
  readonly resolution: keyof typeof RESOLUTIONS;
  readonly exactOptionalPropertyTypes: boolean;
  /** Its version. Many users still have 5; the native 7 takes a third of its time. */
  readonly typescript: 5 | 7;
}

/** The consumers with Express and Nest, by name. */
const COMPILATIONS = {
  'node10-exact': { resolution: 'node10', exactOptionalPropertyTypes: true, typescript: 5 },
  'node16-exact': { resolution: 'node16', exactOptionalPropertyTypes: true, typescript: 5 },
  nodenext: { resolution: 'nodenext', exactOptionalPropertyTypes: false, typescript: 7 },
  'bundler-exact': { resolution: 'bundler', exactOptionalPropertyTypes: true, typescript: 7 },
  bundler: { resolution: 'bundler', exactOptionalPropertyTypes: false, typescript: 7 },
} as const satisfies Record<string, Compilation>;
type Name = keyof typeof COMPILATIONS | 'bare' | 'wrong';

/** Both as ES module and as CommonJS, if the resolution distinguishes them by the ending of the file. */
function prepare(
  folder: string,
  { resolution, exactOptionalPropertyTypes }: Omit<Compilation, 'typescript'>,
  sources: readonly string[],
): void {
  const endings = resolution === 'node16' || resolution === 'nodenext' ? ['mts', 'cts'] : ['ts'];
  const files = sources.flatMap((source) => endings.map((ending) => `${source}.${ending}`));
  for (const file of files) copyFileSync(join(SOURCES, file.replace(/\.\w+$/, '.ts')), join(folder, file));
  const compilerOptions = {
    ...RESOLUTIONS[resolution],
    exactOptionalPropertyTypes,
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    esModuleInterop: true,
    outDir: 'out',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
}

const WRONG = "import { Internal } from 'openfeature-flipt-provider';\nexport const it = new Internal();\n";

let the: Packed;
let version: string;
let consumers: Readonly<Record<Name, { readonly folder: string; readonly complaints: readonly Complaint[] }>>;
beforeAll(async () => {
  the = await packed();
  version = (await run(NODE, ['--version'])).stdout.trim();
  console.log(`the consumers run on Node ${version}`);

  const folders: (readonly [name: Name, folder: string, typescript: 5 | 7])[] = [];
  for (const [name, compilation] of Object.entries<Compilation>(COMPILATIONS)) {
    const folder = await the.consumer(name, true);
    prepare(folder, compilation, ['core', 'frameworks']);
    folders.push([name as Name, folder, compilation.typescript]);
  }
  const bare = await the.consumer('bare', false);
  prepare(bare, { resolution: 'nodenext', exactOptionalPropertyTypes: true }, ['core']);
  const wrong = await the.consumer('wrong', false);
  writeFileSync(join(wrong, 'wrong.mts'), WRONG);
  const compilerOptions = { module: 'nodenext', types: ['node'], noEmit: true };
  writeFileSync(join(wrong, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['wrong.mts'] }));

  folders.push(['bare', bare, 7], ['wrong', wrong, 7]);
  const compiling = folders.map(
    async ([name, folder, typescript]) =>
      [name, { folder, complaints: await compiled(folder, typescript) }] as const,
  );
  consumers = Object.fromEntries(await Promise.all(compiling)) as typeof consumers;
});

const ran = async (consumer: string, file: string) => {
  const { stdout, stderr } = await run(NODE, [file], { cwd: consumer });
  return { stdout, stderr };
};
const well = () => ({ stdout: `well on ${version}\n`, stderr: '' });

describe.concurrent('a consumer with Express and Nest', () => {
  it.for(Object.keys(COMPILATIONS) as Name[])('compiles: %s', (name, { expect }) => {
    expect(consumers[name].complaints).toEqual([]);
  });

  it('runs every entry, compiled as ES module and as CommonJS', async ({ expect }) => {
    const { folder } = consumers['node16-exact'];
    for (const file of ['core.mjs', 'core.cjs', 'frameworks.mjs', 'frameworks.cjs']) {
      expect(await ran(folder, `out/${file}`), file).toEqual(well());
    }
  });

  it('may mix ES modules and CommonJS in one process', async ({ expect }) => {
    const consumer = await the.consumer('mixed', true);
    copyFileSync(join(SOURCES, 'mixed.mjs'), join(consumer, 'mixed.mjs'));
    copyFileSync(join(ROOT, 'test/runtimes/recording-meter.mjs'), join(consumer, 'recording-meter.mjs'));
    expect(await ran(consumer, 'mixed.mjs')).toEqual(well());
  });
});

describe.concurrent('a consumer without any framework', () => {
  it('compiles and runs the provider, the client and the embedded service', async ({ expect }) => {
    const { folder, complaints } = consumers.bare;
    expect(complaints).toEqual([]);
    expect(await ran(folder, 'out/core.mjs')).toEqual(well());
    expect(await ran(folder, 'out/core.cjs')).toEqual(well());
  });

  it('says in the Edge runtime of Next.js that it does not run there, by whichever entry', async ({
    expect,
  }) => {
    const folder = await the.consumer('edge', false);
    for (const entry of ['', '/client', '/express', '/ofrep']) {
      const importing = ['--conditions=edge-light', '-e', `import('openfeature-flipt-provider${entry}')`];
      await expect(run(NODE, importing, { cwd: folder }), entry).rejects.toThrow(
        'openfeature-flipt-provider does not run in the Edge runtime of Next.js: remove',
      );
    }
  });

  it('says in a bundle for browsers that it does not run there, but runs in workerd', async ({ expect }) => {
    const folder = await the.consumer('browser', false);
    for (const entry of ['', '/client', '/express', '/ofrep']) {
      const importing = ['--conditions=browser', '-e', `import('openfeature-flipt-provider${entry}')`];
      await expect(run(NODE, importing, { cwd: folder }), entry).rejects.toThrow(
        /does not run in a browser: use it on the server, .*\. If a test .* set testEnvironment: 'node'/,
      );
      await run(NODE, ['--conditions=workerd', ...importing], { cwd: folder });
    }
  });

  it('has the command', async ({ expect }) => {
    const folder = installedFor(await the.consumer('command', false));
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    const command = join(folder, bin['openfeature-flipt-provider'] ?? '');
    const { stdout } = await run(NODE, [command, 'serve', '--help']);
    expect(stdout).toContain('--features');
  });
});

describe('the consumers', () => {
  it('get an error of the compiler if they use what does not exist', () => {
    const [complaint, ...others] = consumers.wrong.complaints;
    expect(complaint?.text).toContain("has no exported member 'Internal'");
    expect(others).toEqual([]);
  });
});
