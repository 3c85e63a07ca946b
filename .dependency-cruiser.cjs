/** Imports go one way: see docs/architecture or CONTRIBUTING for the drawing. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  comment: `${from} may import only ${allowed.join(', ')}`,
  from: { path: `^src/${from}` },
  to: { path: '^src/', pathNot: [`^src/${from}`, ...allowed.map((path) => `^src/${path}`)] },
});

module.exports = {
  forbidden: [
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
    only('model-knows-nobody', 'model\\.ts', []),
    only('clock-knows-nobody', 'clock\\.ts', []),
    only('header-text-knows-nobody', 'header-text\\.ts', []),
    only('quoted-knows-nobody', 'quoted\\.ts', []),
    only('view-knows-nobody', 'view\\.ts', []),
    only('request-context', 'request-context\\.ts', ['view\\.ts']),
    only('options-know-nobody', 'options\\.ts', []),
    only('errors', 'errors\\.ts', ['model\\.ts']),
    only('checks', 'checks\\.ts', ['quoted\\.ts', 'header-text\\.ts']),
    only('settings', 'settings\\.ts', ['checks\\.ts', 'options\\.ts']),
    only('client', 'client\\.ts', [
      'flipt-client\\.ts',
      'errors\\.ts',
      'options\\.ts',
      'service/operations/',
    ]),
    only('flipt-client', 'flipt-client\\.ts', ['clock\\.ts', 'options\\.ts', 'settings\\.ts', 'service/']),
    only('health', 'health\\.ts', ['model\\.ts', 'options\\.ts']),
    only('recovery', 'recovery\\.ts', ['model\\.ts', 'clock\\.ts', 'health\\.ts', 'service/']),
    only('mapping', 'mapping/', ['quoted\\.ts', 'model\\.ts', 'errors\\.ts']),
    only('cache', 'cache/', ['quoted\\.ts', 'model\\.ts', 'errors\\.ts', 'clock\\.ts']),
    only('batch', 'batch/', ['model\\.ts', 'errors\\.ts', 'clock\\.ts']),
    only('service', 'service/', [
      'quoted\\.ts',
      'model\\.ts',
      'errors\\.ts',
      'clock\\.ts',
      'options\\.ts',
      'settings\\.ts',
      'header-text\\.ts',
    ]),
    only('engine-knows-nobody', 'engine/', ['model\\.ts']),
    only('local', 'local/', ['engine/', 'model\\.ts', 'errors\\.ts', 'clock\\.ts']),
    only('adapter-options-know-nobody', 'adapter-options\\.ts', []),
    only('express', 'express/', ['index\\.ts', 'adapter-options\\.ts']),
    only('nest', 'nest/', ['index\\.ts', 'adapter-options\\.ts']),
    {
      name: 'openfeature-at-the-edge',
      severity: 'error',
      comment: 'OpenFeature is known to the provider, the mapping and the framework adapters only',
      from: {
        path: '^src/',
        pathNot: '^src/(provider|index|request-context)\\.ts|^src/(mapping|express|nest)/',
      },
      to: { path: '@openfeature' },
    },
    {
      name: 'http-in-service-and-local',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(service|local)/|^src/options\\.ts' },
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
