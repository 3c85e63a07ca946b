import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig, type Options } from 'tsup';
import ts from 'typescript';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Members of objects and classes without their comments, which esbuild would publish in CommonJS. */
const membersWithoutComments: Plugin = {
  name: 'members-without-comments',
  setup(build) {
    build.onLoad({ filter: /[\\/](src[\\/].*\.ts|lru-cache[\\/].*\.js)$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      let contents = text;
      const visit = (node: ts.Node) => {
        const isMember = ts.isObjectLiteralElementLike(node) || ts.isClassElement(node);
        const comments = isMember ? ts.getLeadingCommentRanges(text, node.pos) : [];
        for (const { pos, end } of comments ?? []) {
          const blank = ' '.repeat(end - pos);
          contents = contents.slice(0, pos) + blank + contents.slice(end);
        }
        ts.forEachChild(node, visit);
      };
      visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/**
 * The packages that every build contains a copy of, so that an import of the front door reads one file and only the parts
 * of them that are used.
 */
const inlined = JSON.parse(readFileSync('etc/inlined.json', 'utf8')) as readonly string[];

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

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
}

/**
 * Leaves the text of inlined packages out of the source maps, where it would take more room than their code. The text is
 * empty and not missing, because some bundlers warn of a source that has no text and cannot be found.
 */
const inlinedWithoutSources: NonNullable<Options['plugins']>[number] = {
  name: 'inlined-without-sources',
  renderChunk(_code, chunk) {
    if (!chunk.map) return;
    const map = JSON.parse(chunk.map as string) as SourceMap;
    const isOurs = map.sources.map((source) => source.startsWith('../src/'));
    const sourcesContent = map.sourcesContent.map((text, at) => (isOurs[at] ? text : ''));
    chunk.map = JSON.stringify({ ...map, sourcesContent });
  },
};

/** Everyone who gets a copy of an inlined package also gets the text of its license. */
function writeLicenses() {
  const license = (name: string) => readFileSync(`node_modules/${name}/LICENSE.md`, 'utf8').trim();
  const parts = inlined.map(
    (name) => `The files of this folder contain parts of ${name}.\n\n${license(name)}\n`,
  );
  writeFileSync('dist/licenses.txt', parts.join('\n---\n\n'));
}

const shared: Options = {
  target: 'node20',
  minify: false,
  splitting: false,
  noExternal: [...inlined],
  plugins: [inlinedWithoutSources],
  esbuildOptions(options, { format }) {
    // Of the builds of lru-cache, this one has readable names, and publishes nothing on channels of its own.
    options.alias = { 'lru-cache': './node_modules/lru-cache/dist/esm/browser/index.js' };
    if (format === 'cjs') {
      // Loads by `require`: in CommonJS, Jest's VM refuses `import()`.
      options.supported = { 'dynamic-import': false };
    } else {
      // ES modules have source maps, so they leave out white space, which costs time at each start. Names stay, because
      // stack traces show them. Lines stay short, because Node shows the line from which an uncaught error comes.
      Object.assign(options, { minifyWhitespace: true, minifySyntax: true, lineLimit: 120 });
    }
  },
};

export default defineConfig([
  {
    ...shared,
    entry: { index },
    format: 'esm',
    sourcemap: true,
  },
  {
    ...shared,
    entry: { ...others, cli: 'src/command/cli.ts' },
    format: 'esm',
    splitting: true,
    sourcemap: true,
    esbuildPlugins: [frontDoor('./index.js')],
    onSuccess: async () => {
      // The page of the embedded service. Its code finds these files beside itself, in src and in dist.
      cpSync('src/local/web-page/assets', 'dist/assets', { recursive: true });
      writeLicenses();
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
    esbuildPlugins: [frontDoor('./index.cjs'), membersWithoutComments],
  },
  { ...shared, entry: declarations, splitting: true, format: ['esm', 'cjs'], dts: { only: true } },
]);
