/*
 * Imports go one way. test/package/imports.alone.test.ts plants a forbidden import for every rule here and expects it to be
 * reported; it fails, too, when a place is named that does not exist.
 */
const { dependencies, peerDependencies } = require('../package.json');
const inlined = require('./inlined.json');

/**
 * The rooms of src/, from the ground up, each with those that it may import. An arrow leads only to a room that stands
 * further up in this list.
 */
const MAY_IMPORT = {
  // Time, text and files: what every room may need, and nothing of this package.
  'base/': [],
  // Questions, answers, failures, values and events.
  'model/': ['base/'],
  'options/': ['base/'],
  'engine/': ['base/', 'model/'],
  'features/': ['base/', 'engine/'],
  'http/': ['base/', 'model/', 'options/'],
  // What a question passes on its way to the service: the cache, the batches, the circuit, and the wire format.
  'remote/': ['base/', 'http/', 'model/', 'options/'],
  // A features document may be the initial snapshot.
  'snapshot/': ['base/', 'engine/', 'features/', 'http/', 'model/', 'options/'],
  'provider/': ['base/', 'engine/', 'http/', 'model/', 'options/', 'remote/', 'snapshot/'],
  'index.ts': ['engine/explanation.ts', 'model/', 'options/', 'provider/'],
  'client/': ['base/', 'http/', 'model/', 'options/', 'remote/wire/'],
  'local/': ['base/', 'engine/', 'features/', 'model/', 'options/'],
  'command/': ['base/', 'engine/', 'features/', 'http/', 'local/', 'model/', 'options/', 'snapshot/'],
  'adapters/': [
    'base/',
    'index.ts',
    'model/',
    'options/',
    'provider/mapping/extended-context.ts',
    'provider/per-request/',
    'snapshot/stores/snapshot-size.ts',
  ],
};

/** Places within those rooms that may import less than their room. */
const MAY_IMPORT_LESS = {
  'base/text/': [],
  'base/time/': [],
  'base/files/': ['base/node-modules.ts', 'base/text/'],
  'features/lint/': ['base/text/', 'engine/', 'features/'],
  // The parts of the remote way know nothing of each other: the provider puts them together.
  'remote/cache/': ['base/', 'model/'],
  'remote/batch/': ['base/', 'model/'],
  'remote/health/': ['base/', 'http/', 'model/'],
  'remote/wire/': ['base/', 'http/', 'model/', 'options/'],
  'snapshot/stores/': ['base/', 'options/snapshot-store.ts'],
  // Only provider/wire.ts knows all layers: no other place of the provider knows the batches, the circuit and requests.
  'provider/evaluate/': [
    'base/',
    'engine/',
    'model/',
    'options/',
    'provider/',
    'remote/batch/request-size.ts',
    'remote/cache/',
    'snapshot/',
  ],
  'provider/snapshots/': [
    'base/',
    'engine/version-differences.ts',
    'http/reply.ts',
    'model/',
    'options/',
    'provider/',
    'remote/cache/cached-answers.ts',
    'remote/health/',
    'snapshot/',
  ],
  'provider/provider.ts': ['base/', 'engine/explanation.ts', 'model/', 'options/', 'provider/'],
  'provider/mapping/': ['base/text/', 'model/'],
  'provider/per-request/': ['base/', 'model/'],
  'provider/tracking/': ['base/', 'model/', 'options/'],
  'provider/diagnostics/': ['base/', 'model/'],
  // HTTP and the command are around the embedded service, never below it.
  'local/state/': ['base/', 'engine/', 'features/', 'model/'],
  'local/parsing/': ['base/', 'engine/'],
  'local/snapshot-document.ts': ['engine/', 'features/records.ts'],
  'local/operations/': [
    'base/',
    'engine/',
    'features/',
    'local/parsing/',
    'local/snapshot-document.ts',
    'local/state/',
    'model/',
  ],
  'local/web-page/': [
    'base/',
    'engine/',
    'features/records.ts',
    'local/operations/',
    'local/parsing/',
    'local/state/',
  ],
  'local/http/': [
    'base/',
    'local/operations/',
    'local/web-page/',
    'local/parsing/',
    'local/snapshot-document.ts',
    'local/state/',
  ],
  'adapters/edge/': [],
  'adapters/redis/': ['base/', 'options/', 'snapshot/stores/snapshot-size.ts'],
  'adapters/opentelemetry/': ['index.ts', 'options/'],
  'adapters/ofrep/': [
    'base/',
    'index.ts',
    'model/',
    'options/',
    'provider/mapping/extended-context.ts',
    'provider/per-request/',
  ],
  'adapters/express/': [
    'base/',
    'index.ts',
    'adapters/ofrep/',
    'options/',
    'provider/per-request/context-timeout.ts',
  ],
  'adapters/nest/': ['base/', 'index.ts', 'options/', 'provider/per-request/merged-context.ts'],
};

/** The only places that may import a package, or a module of Node. */
const ONLY_IN = {
  '@openfeature': ['adapters/', 'model/value-of-type.ts', 'provider/'],
  express: ['adapters/express/'],
  '@nestjs': ['adapters/nest/'],
  '@opentelemetry': ['adapters/opentelemetry/'],
  'lru-cache': ['remote/cache/', 'provider/tracking/'],
  yaml: ['features/'],
  http: ['http/connections.ts', 'http/tunnels.ts', 'local/http/'],
  https: [],
  tls: [],
  fs: ['command/', 'features/', 'base/files/', 'local/'],
  timers: ['base/time/clock.ts'],
};

/** The only files that may load the modules of Node that send requests. */
const NETWORK_IN = ['http/connections.ts', 'http/tunnels.ts', 'options/proxy-variables.ts'];

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

const published = [...Object.keys({ ...dependencies, ...peerDependencies }), ...inlined].map(escaped);

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
    {
      name: 'network-in-its-place',
      severity: 'error',
      comment: 'Only these files may load the modules of Node that send requests',
      from: { path: '^src/', pathNot: NETWORK_IN.map(pattern) },
      to: { path: pattern('base/network-modules.ts') },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-to-dev',
      severity: 'error',
      comment: 'Users have only the dependencies and the peers of package.json, and what the build inlines',
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
Object.defineProperty(module.exports, 'house', { value: { MAY_IMPORT, MAY_IMPORT_LESS, ONLY_IN } });
