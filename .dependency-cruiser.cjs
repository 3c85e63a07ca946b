/**
 * Imports go one way. Each folder of src/ names what it may import, and nothing else may be imported.
 * test/package/imports.test.ts plants a forbidden import for every rule here and expects it to be reported.
 */
const MAY_IMPORT = {
  'clock.ts': [],
  'text/': [],
  'files/': ['text/'],
  'model/': [],
  'engine/': ['model/'],
  'diagnostics/': ['model/', 'text/'],
  'options/': ['clock.ts', 'text/'],
  'http/': ['clock.ts', 'diagnostics/', 'files/', 'model/', 'options/', 'text/'],
  'remote/': ['http/', 'model/', 'options/', 'text/'],
  'availability/': ['clock.ts', 'diagnostics/', 'http/', 'model/', 'options/'],
  'batch/': ['clock.ts', 'diagnostics/', 'model/', 'text/'],
  'cache/': ['clock.ts', 'diagnostics/', 'model/', 'text/'],
  'snapshot/': ['clock.ts', 'diagnostics/', 'engine/', 'files/', 'http/', 'model/', 'options/', 'text/'],
  'request/': ['clock.ts', 'model/', 'text/'],
  'provider/': [
    'availability/',
    'batch/',
    'cache/',
    'clock.ts',
    'diagnostics/',
    'http/',
    'model/',
    'options/',
    'remote/',
    'request/',
    'snapshot/',
    'text/',
  ],
  'index.ts': ['options/', 'provider/', 'request/', 'diagnostics/'],
  'client/': ['clock.ts', 'http/', 'model/', 'options/', 'remote/', 'text/'],
  'local/': ['clock.ts', 'engine/', 'files/', 'model/', 'options/', 'snapshot/', 'text/'],
  'express/': ['clock.ts', 'index.ts', 'options/', 'text/'],
  'nest/': ['clock.ts', 'index.ts', 'options/', 'text/'],
};

const pattern = (place) => `^src/${place.replace('.', '\\.')}${place.endsWith('/') ? '' : '$'}`;

const oneWay = Object.entries(MAY_IMPORT).map(([place, allowed]) => ({
  name: `${place.replace(/\W/g, '')}-imports`,
  severity: 'error',
  comment: `src/${place} may import only: ${allowed.join(', ') || 'nothing of src'}`,
  from: { path: pattern(place) },
  to: { path: '^src/', pathNot: [pattern(place), ...allowed.map(pattern)] },
}));

module.exports = {
  forbidden: [
    ...oneWay,
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
      from: { path: '^src' },
      to: {
        dependencyTypes: ['npm-dev'],
        pathNot:
          'node_modules/(@types/)?(express|@nestjs|@openfeature|rxjs|reflect-metadata|undici|valibot|yaml|lru-cache)',
      },
    },
    {
      name: 'not-to-test',
      severity: 'error',
      from: { path: '^src' },
      to: { path: '^(test|examples|bench)/' },
    },
    {
      name: 'openfeature-at-the-edge',
      severity: 'error',
      comment: 'Only the provider, a request’s context and the framework adapters know OpenFeature',
      from: { path: '^src/', pathNot: '^src/(index\\.ts|provider/|request/|express/|nest/)' },
      to: { path: '@openfeature' },
    },
    {
      name: 'http-in-its-folders',
      severity: 'error',
      comment: 'Only http/ and the embedded service speak HTTP; the options describe a dispatcher',
      from: { path: '^src/', pathNot: '^src/(http/|local/http/|options/provider-options\\.ts)' },
      to: { path: '(^|/)undici|^(node:)?https?$' },
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
