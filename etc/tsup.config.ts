import { cpSync, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import ts from 'typescript';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Members of objects without their comments, which esbuild would publish. Lines and columns stay, for source maps. */
const membersWithoutComments: Plugin = {
  name: 'members-without-comments',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      let contents = text;
      const visit = (node: ts.Node) => {
        const comments = ts.isObjectLiteralElementLike(node)
          ? ts.getLeadingCommentRanges(text, node.pos)
          : [];
        for (const { pos, end } of comments ?? []) {
          const blank = text.slice(pos, end).replace(/\S/g, ' ');
          contents = contents.slice(0, pos) + blank + contents.slice(end);
        }
        ts.forEachChild(node, visit);
      };
      visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
      return { contents, loader: 'ts' };
    });
  },
};

const shared: Options = {
  target: 'node20',
  minify: false,
  splitting: false,
};
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly exports: object };
const index = 'src/index.ts';
/** A folder of src, or of src/adapters, for each other entry of the manifest. */
const others = Object.fromEntries(
  Object.keys(manifest.exports)
    .filter((name) => !/^\.$|package\.json$/.test(name))
    .map((name) => name.slice(2))
    .map((name) => [name, `src/${existsSync(`src/${name}`) ? name : `adapters/${name}`}/index.ts`]),
);
/** What users import. */
const entry = { index, ...others };

/** What `tsc -p etc/tsconfig.build.json` has written: the native compiler is faster than the one that tsup would use. */
const declarations = Object.fromEntries(
  Object.entries(entry).map(([name, source]) => [
    name,
    source.replace(/^src\//, 'build/').replace(/\.ts$/, '.d.ts'),
  ]),
);

/**
 * What the other entries load instead of a copy, so that Nest knows the class FliptProvider. The front door itself is one
 * file, which a process loads soonest; the other ES modules share the rest of their code in files of their own.
 */
const frontDoor = (file: string): Plugin => ({
  name: 'one-front-door',
  setup(build) {
    build.onResolve({ filter: /\/index\.js$/ }, ({ path, resolveDir }) => {
      const isFrontDoor = resolve(resolveDir, path).replace(/\.js$/, '.ts') === resolve(index);
      return isFrontDoor ? { path: file, external: true } : undefined;
    });
  },
});

/** One copy of valibot's names, in CommonJS: esbuild would make one for each file that imports them, in 5 ms together. */
const valibotOnce: Plugin = {
  name: 'valibot-once',
  setup(build) {
    build.onResolve({ filter: /^valibot$/ }, ({ path, namespace }) =>
      namespace === 'once' ? { path, external: true } : { path, namespace: 'once' },
    );
    build.onLoad({ filter: /./, namespace: 'once' }, ({ path }) => ({ contents: `export * from '${path}'` }));
  },
};

export default defineConfig([
  {
    ...shared,
    entry: { index },
    format: 'esm',
    sourcemap: true,
    esbuildPlugins: [membersWithoutComments],
  },
  {
    ...shared,
    entry: { ...others, cli: 'src/command/cli.ts' },
    format: 'esm',
    splitting: true,
    sourcemap: true,
    esbuildPlugins: [frontDoor('./index.js'), membersWithoutComments],
    // The page of the embedded service. Its code finds them beside itself, in src and in dist.
    onSuccess: async () => {
      cpSync('src/local/web-page/assets', 'dist/assets', { recursive: true });
    },
  },
  {
    ...shared,
    entry: {
      ...entry,
      edge: 'src/adapters/edge/refuse-edge-runtime.ts',
      browser: 'src/adapters/edge/refuse-browser.ts',
    },
    format: 'cjs',
    shims: true,
    // Left to `valibotOnce`.
    noExternal: ['valibot'],
    esbuildPlugins: [frontDoor('./index.cjs'), valibotOnce, membersWithoutComments],
    // Loads by `require`: in CommonJS, Jest's VM refuses `import()`.
    esbuildOptions: (options) => {
      options.supported = { 'dynamic-import': false };
    },
  },
  { ...shared, entry: declarations, splitting: true, format: ['esm', 'cjs'], dts: { only: true } },
]);
