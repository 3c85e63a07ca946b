/*
 * Imports go one way. test/package/imports.alone.test.ts plants a forbidden import for every rule here and expects it to be
 * reported; it fails, too, when a place is named that does not exist.
 */
const { dependencies, peerDependencies } = require('../package.json');

/** The places of src/ that are designed and not built yet. */
const COMING = [];

/** Each folder of src/, and each file at its top, with the places that it may import. Nothing else may be imported. */
const MAY_IMPORT = {
  'time/': [],
  'edge/': [],
  'text/': [],
  'files/': ['text/'],
  'model/': [],
  'values/': ['model/', 'text/'],
  'engine/': ['time/pausable-steps.ts', 'model/', 'text/'],
  'features/': ['engine/', 'text/'],
  'lint/': ['engine/', 'features/', 'text/'],
  'diagnostics/': ['time/', 'model/', 'text/'],
  'runtime.ts': ['diagnostics/', 'time/'],
  'options/': ['time/', 'stores/snapshot-store.ts', 'text/'],
  'http/': ['time/', 'files/', 'model/', 'options/', 'runtime.ts', 'text/'],
  'remote/': ['http/', 'model/', 'options/', 'text/'],
  'availability/': ['runtime.ts', 'time/', 'diagnostics/', 'http/', 'model/'],
  'batch/': ['runtime.ts', 'time/', 'model/', 'text/'],
  'cache/': ['runtime.ts', 'time/', 'model/', 'text/'],
  'stores/': ['time/', 'files/', 'text/'],
  'snapshot/': [
    'runtime.ts',
    'time/',
    'diagnostics/',
    'engine/',
    'files/durable-file.ts',
    'http/',
    // A features document may be the initial snapshot.
    'features/',
    'model/',
    'options/',
    'stores/',
    'text/',
  ],
  'tracking/': ['runtime.ts', 'time/', 'options/', 'text/'],
  'request/': ['time/', 'model/', 'text/'],
  'provider/': [
    'runtime.ts',
    'availability/',
    'batch/',
    'cache/',
    'time/',
    'diagnostics/',
    'engine/',
    'http/',
    'model/',
    'options/',
    'remote/',
    'request/',
    'snapshot/',
    'text/',
    'tracking/',
    'values/',
  ],
  'index.ts': [
    'diagnostics/',
    // Types alone.
    'engine/explain/explanation.ts',
    'http/fetch-dispatcher.ts',
    'model/',
    'options/',
    'provider/',
    'request/',
    'stores/snapshot-store.ts',
  ],
  'client/': ['time/', 'http/', 'model/', 'options/', 'remote/', 'runtime.ts', 'text/'],
  'redis/': ['time/', 'options/', 'stores/snapshot-size.ts', 'stores/snapshot-store.ts', 'text/'],
  'local/': ['time/', 'engine/', 'features/', 'files/', 'model/', 'options/', 'text/', 'values/'],
  'command/': [
    'time/',
    'engine/',
    'features/',
    'files/',
    'http/',
    'lint/',
    'local/',
    'model/',
    'options/',
    'runtime.ts',
    'snapshot/',
    'text/',
    'values/',
  ],
  'ofrep/': [
    'runtime.ts',
    'time/',
    'index.ts',
    'options/',
    'provider/mapping/extended-context.ts',
    'request/context-layers.ts',
    'text/',
    'values/',
  ],
  'express/': ['index.ts', 'ofrep/', 'options/', 'request/context-layers.ts', 'text/'],
  // Of the provider types alone: it is handed one, of whichever copy of the package.
  'opentelemetry/': ['index.ts', 'options/'],
  'nest/': ['time/', 'index.ts', 'options/', 'request/context-layers.ts', 'text/'],
};

/** Places within those folders that may import less than their folder. */
const MAY_IMPORT_LESS = {
  // The pipeline is the only place that knows all layers.
  'provider/provider.ts': [
    'time/',
    'diagnostics/',
    'engine/explain/explanation.ts',
    'options/',
    'provider/',
    'text/',
  ],
  'provider/mapping/': ['model/', 'text/', 'values/'],
  // HTTP and the command are around the embedded service, never below it.
  'local/state/': ['engine/', 'features/', 'files/', 'text/', 'values/'],
  'local/requests/': ['time/', 'engine/', 'text/'],
  'local/snapshot-document.ts': ['engine/', 'features/records.ts'],
  'local/operations/': [
    'time/',
    'engine/',
    'features/',
    'local/requests/',
    'local/snapshot-document.ts',
    'local/state/',
    'model/',
    'text/',
  ],
  'local/web-page/': [
    'engine/',
    'features/records.ts',
    'local/operations/',
    'local/requests/',
    'local/state/',
    'text/',
  ],
  'local/http/': [
    'local/operations/',
    'local/web-page/',
    'local/requests/',
    'local/snapshot-document.ts',
    'local/state/',
    'text/',
  ],
};

/** The only places that may import a package, or a module of Node. */
const ONLY_IN = {
  '@openfeature': ['express/', 'nest/', 'ofrep/', 'provider/', 'request/', 'values/'],
  express: ['express/'],
  '@nestjs': ['nest/'],
  '@opentelemetry': ['opentelemetry/'],
  'lru-cache': ['cache/', 'tracking/'],
  yaml: ['features/'],
  http: ['http/connections.ts', 'http/tunnels.ts', 'local/http/', 'options/proxy-variables.ts'],
  https: ['http/connections.ts', 'http/tunnels.ts'],
  tls: ['http/tunnels.ts'],
  fs: ['command/', 'features/', 'files/', 'local/'],
  timers: ['time/clock.ts'],
};

const escaped = (text) => text.replace(/[.]/g, '\\$&');
const pattern = (place) => `^src/${escaped(place)}${place.endsWith('/') ? '' : '$'}`;
const named = (text) => text.replace(/\W+/g, '-').replace(/^-|-$/g, '');

const oneWay = Object.entries({ ...MAY_IMPORT, ...MAY_IMPORT_LESS }).map(([place, allowed]) => ({
  name: `${named(place)}-imports`,
  severity: 'error',
  comment: `src/${place} may import only: ${allowed.join(', ') || 'nothing of src'}`,
  from: { path: pattern(place) },
  to: { path: '^src/', pathNot: [place, ...allowed].map(pattern) },
}));

const owned = Object.entries(ONLY_IN).map(([name, places]) => ({
  name: `${named(name)}-in-its-place`,
  severity: 'error',
  comment: `Only these places of src/ may import ${name}: ${places.join(', ') || 'none'}`,
  from: { path: '^src/', pathNot: places.map(pattern) },
  to: { path: [`^node_modules/(@types/)?${name}/`, `^(node:)?${name}(/|$)`] },
}));

const published = Object.keys({ ...dependencies, ...peerDependencies }).map(escaped);

module.exports = {
  forbidden: [
    ...oneWay,
    ...owned,
    {
      name: 'every-file-has-a-place',
      severity: 'error',
      comment: 'A new folder, or a new file at the top, needs a line in MAY_IMPORT',
      from: { path: '^src/', pathNot: Object.keys(MAY_IMPORT).map(pattern) },
      to: {},
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-to-dev',
      severity: 'error',
      comment: 'Users have only the dependencies and the peers of package.json',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-optional', 'npm-bundled', 'npm-unknown'],
        pathNot: `^node_modules/(@types/)?(${published.join('|')})/`,
      },
    },
    {
      name: 'not-to-test',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|examples|bench|scripts)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};

// Not enumerable: the schema of a configuration knows no such keys.
Object.defineProperty(module.exports, 'house', { value: { COMING, MAY_IMPORT, MAY_IMPORT_LESS, ONLY_IN } });
