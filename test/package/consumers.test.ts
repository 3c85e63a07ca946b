import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { packed, ROOT, run, type Packed } from './packed.fixture.js';

/*
 * The consumers use every entry. Their sources are compiled under each way in which TypeScript finds modules, against
 * the types in the tarball, and what comes of it is run.
 */

const SOURCES = join(import.meta.dirname, 'consumer');

// Compiling with all the types of the frameworks takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** Where they run; scripts/floor.js names one that is too old for these tests themselves. */
const NODE = process.env.CONSUMER_NODE ?? process.execPath;

let the: Packed;
let version: string;
beforeAll(async () => {
  the = await packed();
  version = (await run(NODE, ['--version'])).stdout.trim();
  console.log(`the consumers run on Node ${version}`);
});
afterAll(() => {
  the.remove();
});

const RESOLUTIONS = {
  /** Knows no `exports`. Many Nest applications are still compiled like this. */
  node10: { module: 'commonjs', moduleResolution: 'node10' },
  node16: { module: 'node16', moduleResolution: 'node16' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
} as const;

interface Compilation {
  readonly resolution: keyof typeof RESOLUTIONS;
  readonly exactOptionalPropertyTypes: boolean;
  readonly sources: readonly string[];
}

/** Both as ES module and as CommonJS, where the resolution tells them apart by the file's ending. Rejects with what the compiler says. */
async function compiled(
  consumer: string,
  { resolution, exactOptionalPropertyTypes, sources }: Compilation,
): Promise<void> {
  const endings = resolution === 'node16' || resolution === 'nodenext' ? ['mts', 'cts'] : ['ts'];
  const files = sources.flatMap((source) => endings.map((ending) => `${source}.${ending}`));
  for (const file of files) {
    copyFileSync(join(SOURCES, file.replace(/\.\w+$/, '.ts')), join(consumer, file));
  }
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
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', consumer], { cwd: consumer }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
}

const ran = async (consumer: string, file: string) => {
  const { stdout, stderr } = await run(NODE, [file], { cwd: consumer });
  return { stdout, stderr };
};
const well = () => ({ stdout: `well on ${version}\n`, stderr: '' });

describe.concurrent('a consumer with Express and Nest', () => {
  const sources = ['core', 'frameworks'];

  it.for([
    { resolution: 'node10', exactOptionalPropertyTypes: true },
    { resolution: 'node16', exactOptionalPropertyTypes: true },
    { resolution: 'nodenext', exactOptionalPropertyTypes: false },
    { resolution: 'bundler', exactOptionalPropertyTypes: true },
    { resolution: 'bundler', exactOptionalPropertyTypes: false },
  ] as const)('compiles: %o', async (settings, { expect }) => {
    const consumer = await the.consumer(Object.values(settings).join('-'), true);
    await expect(compiled(consumer, { ...settings, sources })).resolves.toBeUndefined();
  });

  it('runs every entry, compiled as ES module and as CommonJS', async ({ expect }) => {
    const consumer = await the.consumer('every-entry', true);
    await compiled(consumer, { resolution: 'node16', exactOptionalPropertyTypes: false, sources });
    for (const file of ['core.mjs', 'core.cjs', 'frameworks.mjs', 'frameworks.cjs']) {
      expect(await ran(consumer, `out/${file}`), file).toEqual(well());
    }
  });

  it('may mix ES modules and CommonJS in one process', async ({ expect }) => {
    const consumer = await the.consumer('mixed', true);
    copyFileSync(join(SOURCES, 'mixed.mjs'), join(consumer, 'mixed.mjs'));
    expect(await ran(consumer, 'mixed.mjs')).toEqual(well());
  });
});

describe.concurrent('a consumer without any framework', () => {
  it('compiles and runs the provider, the client and the embedded service', async ({ expect }) => {
    const consumer = await the.consumer('bare', false);
    const settings = { resolution: 'nodenext', exactOptionalPropertyTypes: true, sources: ['core'] } as const;
    await compiled(consumer, settings);
    expect(await ran(consumer, 'out/core.mjs')).toEqual(well());
    expect(await ran(consumer, 'out/core.cjs')).toEqual(well());
  });

  it('has the command', async ({ expect }) => {
    const consumer = await the.consumer('command', false);
    const folder = join(consumer, 'node_modules/openfeature-flipt-provider');
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    const command = join(folder, bin['openfeature-flipt-provider'] ?? '');
    const { stdout } = await run(NODE, [command, 'serve', '--help']);
    expect(stdout).toContain('--features');
  });
});

describe('the consumers', () => {
  it('are told by the compiler where they use what is not there', async () => {
    const consumer = await the.consumer('wrong', false);
    const wrong =
      "import { Internal } from 'openfeature-flipt-provider';\nexport const it = new Internal();\n";
    writeFileSync(join(consumer, 'wrong.mts'), wrong);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const checking = run(process.execPath, [tsc, '--noEmit', '--module', 'nodenext', 'wrong.mts'], {
      cwd: consumer,
    });
    await expect(checking).rejects.toMatchObject({
      stdout: expect.stringContaining("has no exported member 'Internal'") as string,
    });
  });
});
