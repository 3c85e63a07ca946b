import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pagesFeatures } from '../docs/samples/samples.fixture.js';
import { fencesOf, ROOT, textOf } from '../docs/pages.fixture.js';
import { packed } from '../package/packed.fixture.js';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { asJestTest, jestSamples, settingOf, type ModuleFormat } from './jest.fixture.js';

/*
 * The package in Jest, as it is published: Jest runs modules in a VM that refuses `import()` in CommonJS, has globals of
 * its own, and fakes all timers. One process for each configuration, because a process of Jest is expensive.
 */

const TIME = 240_000;
const run = promisify(execFile);
const samples = jestSamples();

let project: string;
let service: LocalService;

const install = (name: string) => {
  const link = join(dirname(project), 'node_modules', name);
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), link);
};

/** Asks under fake timers, in the ways in which Jest installs them, for what no cache knows. */
const UNDER_FAKE_TIMERS = `
const { OpenFeature } = require('@openfeature/server-sdk');
const { FliptProvider } = require('openfeature-flipt-provider');
afterEach(() => { jest.useRealTimers(); });
afterAll(() => OpenFeature.close());
test.each([
  ['as docs/testing.md says', () => { SETTING; }],
  ['as they were before Jest 27', () => { jest.useFakeTimers({ legacyFakeTimers: true }); }],
])('is answered under fake timers, %s', async (_, install) => {
  await OpenFeature.setProviderAndWait(new FliptProvider({ url: URL, cache: false, initTimeoutMs: 60_000, deadlineMs: 60_000, http: { timeoutMs: 60_000 } }));
  install();
  const flags = OpenFeature.getClient();
  expect(await flags.getBooleanDetails('new-checkout', false)).toMatchObject({ value: true, reason: 'DEFAULT' });
  expect(await OpenFeature.getProvider().explain('new-checkout')).toMatchObject({ answer: { enabled: true } });
  await OpenFeature.clearProviders();
});
test('a failure has the words of Node’s error, whose class is of another realm', async () => {
  const server = require('node:net').createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  const logger = { error() {}, warn() {}, info() {}, debug() {} };
  const provider = new FliptProvider({ url: 'http://127.0.0.1:' + port, watch: false, initTimeoutMs: 1_000, logger });
  await expect(provider.initialize()).rejects.toThrow('failed: connect ECONNREFUSED');
  await provider.onClose();
});
`;

/** The start ends when Jest has torn the test's environment down. A file that is loaded then fails the run. */
const LEFT_WHILE_IT_STARTS = `
const { FliptProvider } = require('openfeature-flipt-provider');
test('passes, although nobody waits for the start or closes the provider', () => {
  const logger = { error() {}, warn() {}, info() {}, debug() {} };
  const http = { dispatcher: { request: () => Promise.reject(new Error('no network')) } };
  new FliptProvider({ http, initTimeoutMs: 1_000, logger }).initialize().catch(() => undefined);
});
`;

beforeAll(async () => {
  project = await (await packed()).consumer('jest', true);
  service = await startLocalService({ features: pagesFeatures() });
  install('@nestjs/testing');
  const write = (name: string, text: string) => {
    writeFileSync(join(project, name), text);
  };
  write('package.json', '{}');
  write(
    'features.yml',
    fencesOf(textOf('docs/local.md')).find(({ language }) => language === 'yaml')?.code ?? '',
  );
  const endings = { cjs: 'cjs', esm: 'mjs' } as const;
  for (const { name, fence } of samples) {
    for (const format of ['cjs', 'esm'] as const) {
      write(`${name}.test.${endings[format]}`, asJestTest(fence, service.url, format));
    }
  }
  const fakes = UNDER_FAKE_TIMERS.replace('SETTING', settingOf('Jest')).replace(
    'URL',
    JSON.stringify(service.url),
  );
  write('fake-timers.test.cjs', fakes);
  write('left.test.cjs', LEFT_WHILE_IT_STARTS);
}, TIME);
afterAll(async () => {
  await service.close();
});

/** Without the settings of the test that runs it. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(FLIPT_|VITEST|NODE_|JEST)/.test(name)),
);

it.each<[jest: string, format: ModuleFormat, flags: readonly string[], files: string]>([
  ['jest', 'cjs', [], String.raw`\.cjs$`],
  ['jest', 'esm', ['--experimental-vm-modules', '--no-warnings'], String.raw`\.mjs$`],
  ['jest29', 'cjs', [], String.raw`\.cjs$`],
  ['jest29', 'esm', ['--experimental-vm-modules', '--no-warnings'], String.raw`\.mjs$`],
])(
  'the samples pass in %s, %s, and the process ends',
  { timeout: TIME },
  async (jest, format, flags, files) => {
    const program = join(ROOT, 'node_modules', jest, 'bin/jest.js');
    const options = ['--runInBand', '--watchman=false', '--cache=false', '--testTimeout=60000', '--json'];
    const settings = { rootDir: project, testMatch: ['**/*.test.?js'], transform: {} };
    const args = [...flags, program, ...options, `--config=${JSON.stringify(settings)}`, files];
    const { stdout } = await run(process.execPath, args, { cwd: project, env, timeout: TIME / 2 }).catch(
      (error: unknown) => {
        throw new Error((error as { readonly stderr: string }).stderr);
      },
    );
    const others = format === 'cjs' ? 2 : 0;
    expect(JSON.parse(stdout)).toMatchObject({ success: true, numPassedTestSuites: samples.length + others });
  },
);
