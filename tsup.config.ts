import { cpSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

const adapters = ['express', 'nest', 'ofrep', 'opentelemetry', 'redis'];
const shared: Options = {
  target: 'node20',
  sourcemap: true,
  splitting: false,
  // The adapters import the front door by its name: Nest must know one class FliptProvider.
  external: ['openfeature-flipt-provider'],
};

export default defineConfig([
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      client: 'src/client/index.ts',
      local: 'src/local/index.ts',
      ...Object.fromEntries(adapters.map((name) => [name, `src/adapters/${name}/index.ts`])),
    },
    format: ['esm', 'cjs'],
    shims: true,
    // The linter checks types.
    dts: { compilerOptions: { noCheck: true } },
    esbuildOptions(options, { format }) {
      // In CommonJS, Jest's VM refuses `import()`: esbuild writes `require`.
      if (format === 'cjs') options.supported = { 'dynamic-import': false };
    },
    // The page of the embedded service, beside the code that reads it, as in src.
    onSuccess: async () => {
      cpSync('src/local/assets', 'dist/assets', { recursive: true });
    },
  },
  { ...shared, entry: { cli: 'src/command/cli.ts' }, format: 'esm' },
]);
