import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PATIENT } from '../eventually.fixture.js';
import { fencesOf, ROOT, textOf } from '../docs/pages.fixture.js';

const PACKAGES = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/testing',
  '@openfeature/server-sdk',
  'reflect-metadata',
  'vitest',
];
const TIME = 120_000;
/** For each test of a recipe: the runners' own five seconds are short for a busy machine. */
const PATIENCE = '--testTimeout=60000';
const run = promisify(execFile);

/** The first sample below a heading of the page. */
function sampleBelow(page: string, heading: string, language: string): string {
  const text = textOf(page).split(`\n## ${heading}\n`)[1] ?? '';
  return fencesOf(text).find((fence) => fence.language === language)?.code ?? '';
}

let folder: string;

// A project of a user who follows the page, with the built package.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flipt-recipes-'));
  const link = (name: string, to: string) => {
    const path = join(folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(to, path);
  };
  for (const name of PACKAGES) link(name, join(ROOT, 'node_modules', name));
  link('openfeature-flipt-provider', ROOT);
  const write = (name: string, text: string) => {
    // With the time-outs of the page, a stall would cause a default.
    const options = `$&...${JSON.stringify(PATIENT)},`;
    writeFileSync(join(folder, name), text.replaceAll('new FliptProvider({', options));
  };
  write('package.json', '{}');
  write('tsconfig.json', '{ "compilerOptions": { "experimentalDecorators": true } }');
  write('features.yml', sampleBelow('docs/local.md', 'A features file', 'yaml'));
  write('flags.test.ts', sampleBelow('docs/testing.md', 'Vitest', 'ts'));
  write('app.test.ts', sampleBelow('docs/testing.md', 'Nest, end to end', 'ts'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Without the settings of the test that runs it. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(FLIPT_|VITEST|NODE_|JEST)/.test(name)),
);

it.concurrent('the recipes for Vitest and Nest pass', { timeout: TIME }, async () => {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [
    vitest,
    'run',
    '--reporter=json',
    PATIENCE,
    '--hookTimeout=60000',
    'flags.test.ts',
    'app.test.ts',
  ];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env });
  expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 2, numFailedTestSuites: 0 });
});
