import { defineConfig } from 'tsup';

const shared = { target: 'node20', sourcemap: true, minify: false } as const;

export default defineConfig([
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      client: 'src/client.ts',
      local: 'src/local/index.ts',
      express: 'src/express/index.ts',
      nest: 'src/nest/index.ts',
    },
    format: ['esm', 'cjs'],
    dts: true,
    splitting: true,
    clean: true,
  },
  { ...shared, entry: { cli: 'src/local/cli.ts' }, format: ['esm'], dts: false, sourcemap: false },
]);
