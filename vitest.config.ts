import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.js'],
    globalSetup: 'test/package/packed-folder.fixture.ts',
    // Vitest leaves one core free: on two cores it would run one file at a time.
    maxWorkers: '100%',
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
