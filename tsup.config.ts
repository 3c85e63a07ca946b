import { defineConfig, type Options } from 'tsup';

const shared: Options = { target: 'node20', minify: false, splitting: true };
const entry = {
  index: 'src/index.ts',
  client: 'src/client/index.ts',
  local: 'src/local/index.ts',
  express: 'src/express/index.ts',
  nest: 'src/nest/index.ts',
};

export default defineConfig([
  { ...shared, entry, format: 'esm', sourcemap: true },
  // A copy for each entry: splitting CommonJS would rewrite `?.` and `??` into calls, and classes into nameless ones.
  { ...shared, entry, format: 'cjs', splitting: false },
  { ...shared, entry, format: ['esm', 'cjs'], dts: { only: true } },
  { ...shared, entry: { cli: 'src/local/command/cli.ts' }, format: 'esm', splitting: false },
]);
