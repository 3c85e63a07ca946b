import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/*
 * One rule says where a test file runs: a file that ends in `.alone.test.ts` has a process of its own, because it replaces
 * modules, changes or watches the whole process, starts other programs, reads the built package, or takes long. All
 * others share processes: loading the modules again for each of them would take longer than most of their tests.
 * `test/undo.fixture.ts` leaves a shared process as it was.
 */

/** For a machine that is four times as slow as a developer's, and busy. Nothing but a test that hangs takes so long. */
const limits = { testTimeout: 60_000, hookTimeout: 60_000 };

/** The sources of the adapters import the front door by its name. */
const resolve = {
  alias: [
    { find: /^openfeature-flipt-provider$/, replacement: new URL('src/index.ts', import.meta.url).pathname },
  ],
};

const ALONE = 'test/**/*.alone.test.ts';
/** Each of their apps leaves an AsyncLocalStorage, which makes all later promises slower: they share other processes. */
const ADAPTERS = 'test/adapters/**/*.test.ts';

const sharing = (name: string, include: string, exclude: readonly string[]) => ({
  resolve,
  test: {
    name,
    include: [include],
    exclude: ['**/node_modules/**', ...exclude],
    isolate: false,
    setupFiles: 'test/undo.fixture.ts',
    ...limits,
  },
});

/** In the order in which they start. Those that share come last: a process is kept only while the next file shares it. */
const PROJECTS = [
  { test: { name: 'examples', include: ['examples/**/*.test.js'], ...limits } },
  { resolve, test: { name: 'own process', include: [ALONE], exclude: ['**/node_modules/**'], ...limits } },
  sharing('adapters', ADAPTERS, [ALONE]),
  sharing('shared process', 'test/**/*.test.ts', [ALONE, ADAPTERS]),
];

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) =>
      PROJECTS.findIndex(({ test }) => test.name === project.name);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/package/packed-folder.fixture.ts',
    // Vitest leaves one core free: on two cores it would run one file at a time.
    maxWorkers: '100%',
    sequence: { sequencer: InOrder },
    projects: PROJECTS,
  },
});
