import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { compiled, installedFor, packed, ROOT, run, type Packed } from './packed.fixture.js';

/*
 * The consumers use every entry. Their sources are compiled with each way in which TypeScript finds modules, against
 * the types in the tarball. The result is run.
 */

const SOURCES = join(import.meta.dirname, 'consumer');

// Compiling with all types of the frameworks is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

/** CI runs them on the lowest Node, which is too old for Vitest. */
const NODE = process.env.CONSUMER_NODE ?? process.execPath;

const RESOLUTIONS = {
  /** Knows no `exports`. Many Nest apps are still compiled like this. */
  node10: { module: 'commonjs', moduleResolution: 'node10', skipLibCheck: true },
  /** The types themselves are checked here, as ES modules and as CommonJS. */
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: false },
} as const;

/** Both as ES module and as CommonJS, if the resolution distinguishes them by the ending of the file. */
function prepare(folder: string, resolution: keyof typeof RESOLUTIONS, sources: readonly string[]): void {
  const endings = resolution === 'nodenext' ? ['mts', 'cts'] : ['ts'];
  const files = sources.flatMap((source) => endings.map((ending) => `${source}.${ending}`));
  for (const file of files) copyFileSync(join(SOURCES, file.replace(/\.\w+$/, '.ts')), join(folder, file));
  const compilerOptions = {
    ...RESOLUTIONS[resolution],
    exactOptionalPropertyTypes: true,
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    esModuleInterop: true,
    outDir: 'out',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
}

let the: Packed;
let version: string;
beforeAll(async () => {
  the = await packed();
  version = (await run(NODE, ['--version'])).stdout.trim();
});

const ran = async (consumer: string, file: string) => {
  const { stdout, stderr } = await run(NODE, [file], { cwd: consumer });
  return { stdout, stderr };
};
const well = () => ({ stdout: `well on ${version}\n`, stderr: '' });

describe('a consumer with Express and Nest', () => {
  it.each([
    ['node10', ['core.js', 'frameworks.js']],
    ['nodenext', ['core.mjs', 'core.cjs', 'frameworks.mjs', 'frameworks.cjs']],
  ] as const)('compiles every entry as %s, and runs it', async (resolution, files) => {
    const folder = await the.consumer(resolution, true);
    prepare(folder, resolution, ['core', 'frameworks']);
    expect(await compiled(folder)).toEqual([]);
    for (const file of files) expect(await ran(folder, `out/${file}`), file).toEqual(well());
  });

  it('may mix ES modules and CommonJS in one process', async () => {
    const consumer = await the.consumer('mixed', true);
    copyFileSync(join(SOURCES, 'mixed.mjs'), join(consumer, 'mixed.mjs'));
    copyFileSync(join(ROOT, 'test/runtimes/recording-meter.mjs'), join(consumer, 'recording-meter.mjs'));
    expect(await ran(consumer, 'mixed.mjs')).toEqual(well());
  });
});

describe('a consumer without any framework', () => {
  it('compiles and runs the provider, the client and the embedded service', async () => {
    const folder = await the.consumer('bare', false);
    prepare(folder, 'nodenext', ['core']);
    expect(await compiled(folder)).toEqual([]);
    expect(await ran(folder, 'out/core.mjs')).toEqual(well());
    expect(await ran(folder, 'out/core.cjs')).toEqual(well());
  });

  it.each(['resolve', 'evaluateAll', 'explain'])(
    'keeps nothing of the request whose call is the first: %s',
    async (call) => {
      const folder = await the.consumer(`kept-${call}`, false);
      copyFileSync(join(SOURCES, 'kept-request.mjs'), join(folder, 'kept.mjs'));
      const { stdout } = await run(NODE, ['--expose-gc', 'kept.mjs', call], { cwd: folder });
      expect(stdout).toBe(`${call}: freed\n`);
    },
  );

  it('has the command', async () => {
    const folder = installedFor(await the.consumer('command', false));
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    const command = join(folder, bin['openfeature-flipt-provider'] ?? '');
    const { stdout } = await run(NODE, [command, 'serve', '--help']);
    expect(stdout).toContain('--features');
  });
});
