import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Local from '../../../src/local/index.js';
import { PATIENCE_MS, PATIENT } from '../../eventually.fixture.js';
import { compiled, installedFor, packed, ROOT, type Complaint } from '../../package/packed.fixture.js';
import { fencesOf, pages, sources, textOf } from '../pages.fixture.js';
import { exampleSamples, pagesFeatures, samplesOf, type Sample } from './samples.fixture.js';
import { samplesRun } from './samples-run.fixture.js';

const TIME = 120_000;
/** Packages that samples use, but that the package itself does not need. */
const ALSO_USED = [
  '@nestjs/testing',
  '@openfeature/nestjs-sdk',
  '@openfeature/open-telemetry-hooks',
  '@openfeature/ofrep-web-provider',
  '@openfeature/web-sdk',
  '@opentelemetry/exporter-prometheus',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace-node',
  '@types/koa',
  'fastify',
  'graphql',
  'hono',
  'koa',
  'redis',
  'vitest',
];

const samples = [
  ...pages().flatMap((page) => samplesOf(page, textOf(page))),
  ...sources().flatMap((file) => exampleSamples(file, textOf(file))),
];
const fileOf = ({ name }: Sample) => `${name.replace(/\W+/g, '-')}.mts`;

const OPTIONS = {
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  lib: ['es2023', 'esnext.disposable', 'dom'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  outDir: '.',
};

let consumer: string;
/** The service of the package: the modules of src would take longer to load. */
let local: typeof Local;
let service: Local.LocalService;
let complaints: readonly Complaint[];
let runs: ReturnType<typeof samplesRun>;

beforeAll(async () => {
  consumer = await (await packed()).consumer('reader', true);
  for (const name of ALSO_USED) {
    const link = join(consumer, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  // The file that the command writes from the features file of docs/typed-flags.md.
  copyFileSync(join(ROOT, 'examples/typed/flags.ts'), join(consumer, 'flags.ts'));
  local = (await import(join(installedFor(consumer), 'dist/local.js'))) as typeof Local;
  service = await local.startLocalService({ features: pagesFeatures() });
  for (const sample of samples) writeFileSync(join(consumer, fileOf(sample)), `${sample.code}\nexport {};\n`);
  const project = { compilerOptions: OPTIONS, files: samples.map(fileOf) };
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(project));
  complaints = await compiled(consumer);
  runs = samplesRun(consumer, { ...process.env, FLIPT_URL: service.url });
}, TIME);
afterAll(async () => {
  await runs.close();
  await service.close();
});

const outputOf = (sample: Sample) => join(consumer, fileOf(sample).replace(/\.mts$/, '.mjs'));

/** The comments after each `console.log` that always runs, without an explanation after a colon. */
function printedBy(code: string): readonly string[] {
  return [...code.matchAll(/^console\.log\(.*\); \/\/ (.*?)(?:: .*)?$/gm)].map(([, line = '']) => line);
}

const { http, ...times } = PATIENT;

/**
 * Replaces the address in the page by that of the running service, and its time-outs by long ones: otherwise a stall of
 * a busy machine would make it print a default.
 */
function runnable(script: string): string {
  const text = readFileSync(script, 'utf8')
    .replaceAll('http://localhost:8080', service.url)
    .replaceAll(/initTimeoutMs: \d+/g, `initTimeoutMs: ${PATIENCE_MS}`)
    // Before the sample's own options, which stay.
    .replaceAll('new FliptProvider({', `$&...${JSON.stringify(times)},`)
    .replaceAll(/new Flipt(?:Provider|Client)\(\{/g, `$&http: ${JSON.stringify(http)},`);
  writeFileSync(script, text);
  return script;
}

/** Everything that the service holds of the default namespace. */
const flagsServed = async () =>
  (await fetch(`${service.url}/internal/v1/evaluation/snapshot/namespace/default`)).json();

describe('each sample', () => {
  it.each(samples)('$name compiles', (sample) => {
    const its = complaints.filter(({ file }) => file === fileOf(sample) || file === '');
    expect(its.map(({ line, text }) => `line ${line}: ${text}`)).toEqual([]);
  });

  it.each(samples.filter(({ isRun }) => isRun))(
    '$name runs, ends, and changes no flags of yours',
    { timeout: TIME },
    async (sample) => {
      const script = runnable(outputOf(sample));
      const before = await flagsServed();
      const { stdout, stderr } = await runs.run(script, TIME / 2);
      expect(stderr).toBe('');
      // The output that the page states.
      for (const line of printedBy(sample.code)) expect(stdout.split('\n')).toContain(line);
      expect(await flagsServed()).toEqual(before);
    },
  );
});

describe('the pages', () => {
  const files = pages().flatMap((page) =>
    fencesOf(textOf(page))
      .filter(({ language }) => language === 'yaml')
      .map(({ line, code }) => [`${page}:${line}`, code] as const),
  );
  it.each(files)('show a features file that can be served: %s', async (_, features) => {
    const served = await local.startLocalService({ features });
    await served.close();
  });
});
