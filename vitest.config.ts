import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take ten seconds and more. */
const LONG = [
  'pressure/',
  'package/consumers',
  'docs/samples',
  'redis/processes',
  'browser/',
  'nest/',
  'examples/',
  'provider/watching/hour',
  'package/api',
  'local/state/durability',
];

/**
 * Folders whose test files share a process: loading the modules again for each of them takes longer than most of
 * their tests. test/undo.fixture.ts leaves the process as it was.
 */
const SHARED_PROCESS = [
  ...[
    'availability',
    'batch',
    'cache',
    'client',
    'command',
    'contract',
    'diagnostics',
    'docs',
    'engine',
    'express',
    'faults',
    'features',
    'http',
    'in-process',
    'lint',
    'nest',
    'ofrep',
    'opentelemetry',
    'options',
    'provider',
    'remote',
    'security',
    'snapshot',
    'stores',
    'text',
    'workflows',
  ],
  ...['http', 'local-service', 'operations', 'requests', 'snapshot', 'state', 'web-page'].map(
    (folder) => `local/${folder}`,
  ),
].map((folder) => `test/${folder}/`);

/** These share another: each of their apps leaves an AsyncLocalStorage, which makes all later promises slower. */
const ADAPTERS = ['test/express/', 'test/nest/'];

/** Files in these folders that do not. They replace modules or the environment, watch the whole process, or take long. */
const OWN_PROCESS = [
  'client/credentials',
  'command/cli',
  'command/snapshot-app',
  'contract/settings',
  'docs/samples/samples',
  'express/requests',
  'faults/proxy',
  'faults/secrecy',
  'http/auth/kubernetes-login',
  'local/local-service/limits',
  'local/web-page/built-page',
  'local/state/durability',
  'nest/flipt.module',
  'nest/versions/versions',
  'options/environment',
  'provider/fake-timers',
  'provider/script',
  'provider/watching/hour',
  'security/regular-expressions',
].map((name) => `test/${name}.test.ts`);

/** For a machine that is four times as slow as a developer's, and busy. Nothing but a test that hangs takes so long. */
const limits = { testTimeout: 60_000, hookTimeout: 60_000 };

const testsIn = (folder: string) => {
  const others = OWN_PROCESS.filter((path) => path.startsWith(folder)).map((path) =>
    basename(path, '.test.ts'),
  );
  return `${folder}**/${others.length > 0 ? `!(${others.join('|')})` : '*'}.test.ts`;
};
const sharing = (name: string, folders: readonly string[]) => ({
  test: {
    name,
    include: folders.map(testsIn),
    isolate: false,
    setupFiles: 'test/undo.fixture.ts',
    ...limits,
  },
});

/**
 * Starts the long files first, so that none of them runs alone in the end. Files that share a process come last: a
 * process is kept only while the next file shares it.
 */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      if (project.name === 'shared process') return LONG.length + 2;
      if (project.name === 'adapters') return LONG.length + 1;
      const at = LONG.findIndex((name) => moduleId.includes(`/test/${name}`));
      return at < 0 ? LONG.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/package/packed-folder.fixture.ts',
    // Vitest leaves one core free: on two cores it would run one file at a time.
    maxWorkers: '100%',
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          name: 'own process',
          include: ['test/**/*.test.ts', 'examples/**/*.test.js'],
          exclude: ['**/node_modules/**', ...SHARED_PROCESS.map(testsIn)],
          ...limits,
        },
      },
      sharing('adapters', ADAPTERS),
      sharing(
        'shared process',
        SHARED_PROCESS.filter((folder) => !ADAPTERS.includes(folder)),
      ),
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
      thresholds: { lines: 95, branches: 95 },
    },
  },
});
