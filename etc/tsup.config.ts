import { cpSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import ts from 'typescript';
import { mergeChunks } from './merge-chunks.js';

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
  splitting: true,
  esbuildPlugins: [membersWithoutComments],
};
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly exports: object };
const adapters = Object.keys(manifest.exports).filter((name) => !/^\.$|package\.json$/.test(name));
/** What users import: the front door, and a folder of src for each other entry of the manifest. */
const entry = {
  index: 'src/index.ts',
  ...Object.fromEntries(adapters.map((name) => [name.slice(2), `src/${name.slice(2)}/index.ts`])),
};

/** What `tsc -p etc/tsconfig.build.json` has written: the native compiler is faster than the one that tsup would use. */
const declarations = Object.fromEntries(
  Object.entries(entry).map(([name, source]) => [
    name,
    source.replace(/^src\//, 'build/').replace(/\.ts$/, '.d.ts'),
  ]),
);

/** Loaded when a provider starts. */
const snapshots = 'src/provider/start/snapshot-code.ts';
/**
 * What other files of dist load instead of a copy, also in CommonJS, which is not split: the snapshots, because most
 * processes need them later, and the front door, so that Nest knows its class FliptProvider.
 */
const OWN_FILES: Readonly<Record<string, string>> = {
  [resolve(snapshots)]: './snapshots.cjs',
  [resolve(entry.index)]: './index.cjs',
};
const ownFiles: Plugin = {
  name: 'files-of-their-own',
  setup(build) {
    build.onResolve({ filter: /\/(snapshot-code|index)\.js$/ }, ({ path, resolveDir }) => {
      const file = OWN_FILES[resolve(resolveDir, path).replace(/\.js$/, '.ts')];
      return file === undefined ? undefined : { path: file, external: true };
    });
  },
};

const modules = { ...entry, cli: 'src/command/cli.ts' };

const finish = async () => {
  await mergeChunks('dist', Object.keys(modules));
  // The page of the embedded service. Its code finds them beside itself, in src and in dist.
  cpSync('src/local/web-page/assets', 'dist/assets', { recursive: true });
};

export default defineConfig([
  {
    ...shared,
    entry: modules,
    format: 'esm',
    sourcemap: true,
    onSuccess: finish,
  },
  // A copy for each entry of what is not in OWN_FILES: splitting CommonJS would rewrite `?.` and `??` into calls, and classes into nameless ones.
  {
    ...shared,
    entry: {
      ...entry,
      snapshots,
      edge: 'src/edge/refuse-edge-runtime.ts',
      browser: 'src/edge/refuse-browser.ts',
    },
    format: 'cjs',
    splitting: false,
    shims: true,
    esbuildPlugins: [ownFiles, membersWithoutComments],
    // Loads by `require`: in CommonJS, Jest's VM refuses `import()`.
    esbuildOptions: (options) => {
      options.supported = { 'dynamic-import': false };
    },
  },
  { ...shared, entry: declarations, format: ['esm', 'cjs'], dts: { only: true } },
]);
