import { cpSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Options } from 'tsup';

const shared: Options = { target: 'node20', minify: false, splitting: true };
const entry = {
  index: 'src/index.ts',
  client: 'src/client/index.ts',
  local: 'src/local/index.ts',
  express: 'src/express/index.ts',
  nest: 'src/nest/index.ts',
  opentelemetry: 'src/opentelemetry/index.ts',
  ofrep: 'src/ofrep/index.ts',
  redis: 'src/redis/index.ts',
};

/** What `tsc -p tsconfig.build.json` has written: the native compiler is faster than the one that tsup would use. */
const declarations = Object.fromEntries(
  Object.entries(entry).map(([name, source]) => [
    name,
    source.replace(/^src\//, 'build/').replace(/\.ts$/, '.d.ts'),
  ]),
);

/** Loaded when a provider starts. */
const snapshots = 'src/snapshot/open-snapshots.ts';
/**
 * What other files of dist load instead of a copy, also in CommonJS, which is not split: the snapshots, because most
 * processes need them later, and the front door, so that Nest knows its class FliptProvider.
 */
const OWN_FILES: Readonly<Record<string, string>> = {
  [resolve(snapshots)]: './snapshots.cjs',
  [resolve(entry.index)]: './index.cjs',
};
const ownFiles: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'files-of-their-own',
  setup(build) {
    build.onResolve({ filter: /\/(open-snapshots|index)\.js$/ }, ({ path, resolveDir }) => {
      const file = OWN_FILES[resolve(resolveDir, path).replace(/\.js$/, '.ts')];
      return file === undefined ? undefined : { path: file, external: true };
    });
  },
};

/** The page of the embedded service. Its code finds them beside itself, in src and in dist. */
const copyAssets = () => {
  cpSync('src/local/page/assets', 'dist/assets', { recursive: true });
  return Promise.resolve();
};

export default defineConfig([
  {
    ...shared,
    entry: { ...entry, cli: 'src/command/cli.ts' },
    format: 'esm',
    sourcemap: true,
    onSuccess: copyAssets,
  },
  // A copy for each entry of what is not in OWN_FILES: splitting CommonJS would rewrite `?.` and `??` into calls, and classes into nameless ones.
  {
    ...shared,
    entry: { ...entry, snapshots, edge: 'src/edge/edge.ts' },
    format: 'cjs',
    splitting: false,
    shims: true,
    esbuildPlugins: [ownFiles],
    // Loads by `require`: in CommonJS, Jest's VM refuses `import()`.
    esbuildOptions: (options) => {
      options.supported = { 'dynamic-import': false };
    },
  },
  { ...shared, entry: declarations, format: ['esm', 'cjs'], dts: { only: true } },
]);
