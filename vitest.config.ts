import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take ten seconds and more. */
const LONG = [
  'package/consumers',
  'docs/samples',
  'nest/versions',
  'package/api',
  'local/state/durability',
  'faults/',
];

/** Starts the long files first, so that none of them runs alone in the end. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.includes(`/test/${name}`));
      return at < 0 ? LONG.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.js'],
    globalSetup: 'test/package/packed-folder.fixture.ts',
    // Vitest leaves one core free: on two cores it would run one file at a time.
    maxWorkers: '100%',
    sequence: { sequencer: LongFilesFirst },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
      thresholds: { lines: 95, branches: 95 },
    },
  },
});
