import { cpSync } from 'node:fs';
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

/** Loaded when a provider starts. A file of its own also in CommonJS, which is not split. */
const snapshots = 'src/snapshot/open-snapshots.ts';
const ownFile: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'snapshots-in-their-own-file',
  setup(build) {
    build.onResolve({ filter: /\/snapshot\/open-snapshots\.js$/ }, () => ({
      path: './snapshots.cjs',
      external: true,
    }));
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
  // A copy for each entry: splitting CommonJS would rewrite `?.` and `??` into calls, and classes into nameless ones.
  {
    ...shared,
    entry: { ...entry, snapshots },
    format: 'cjs',
    splitting: false,
    shims: true,
    esbuildPlugins: [ownFile],
  },
  { ...shared, entry: declarations, format: ['esm', 'cjs'], dts: { only: true } },
]);
