import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { rollup } from 'rollup';

/** What these files of the build load, becomes one file each: `front` for an import, `snapshots` beside it for a start. */
const ROOTS = { front: /^index\.js$/, snapshots: /^snapshot-code-\w+\.js$/ };

/**
 * esbuild makes a file of each set of entries that share a module: 27 files for one import, each of which takes 0.4 ms to
 * load. Merges most of them, in the folder of the build. `entries` are the files that keep their names.
 */
export async function mergeChunks(folder: string, entries: readonly string[]): Promise<void> {
  const dist = resolve(folder);
  const built = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const chunkOf = new Map<string, string>();
  for (const [chunk, root] of Object.entries(ROOTS)) {
    const name = built.find((each) => root.test(each));
    if (name === undefined) throw new Error(`the build has no file ${root.source}`);
    for (const loaded of loadedBy(join(dist, name))) if (!chunkOf.has(loaded)) chunkOf.set(loaded, chunk);
  }
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry, join(dist, `${entry}.js`)])),
    external: (id) => !id.startsWith('.') && !id.startsWith(dist),
    // esbuild has left out what is not needed.
    treeshake: false,
    plugins: [{ name: 'source-maps', load: withSourceMap }],
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  for (const name of built) {
    rmSync(join(dist, name));
    rmSync(join(dist, `${name}.map`));
  }
  await bundle.write({
    dir: dist,
    format: 'es',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    generatedCode: 'es2015',
    hoistTransitiveImports: false,
    manualChunks: (id) => chunkOf.get(id),
  });
  await bundle.close();
}

/** The files that an import of this one loads with it. */
function loadedBy(file: string, loaded = new Set<string>()): ReadonlySet<string> {
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
    / from "\.\/([\w-]+\.js)";$|^import "\.\/([\w-]+\.js)";$/gm,
  )) {
    const path = join(file, '..', basename(name));
    if (name === '' || loaded.has(path)) continue;
    loaded.add(path);
    loadedBy(path, loaded);
  }
  return loaded;
}

function withSourceMap(path: string): { readonly code: string; readonly map: string } {
  const code = readFileSync(path, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  return { code, map: readFileSync(`${path}.map`, 'utf8') };
}
