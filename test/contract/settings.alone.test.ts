import { afterEach, expect, it, vi } from 'vitest';
import { settings } from './settings.fixture.js';

const NEEDED = ['FLIPT_TEST_URL', 'FLIPT_TEST_TOKEN'] as const;
const BOTH = { FLIPT_TEST_URL: 'http://localhost:1', FLIPT_TEST_TOKEN: 'dummy' };

afterEach(() => {
  vi.unstubAllEnvs();
});

it('settings may all be missing: then the embedded service is asked', () => {
  expect(settings(NEEDED, { FLIPT_TEST_URL: '', PATH: '/bin' })).toEqual({});
});

it('settings are taken as they are set', () => {
  expect(settings(NEEDED, { ...BOTH, FLIPT_CONTRACT: 'real' })).toEqual({ ...BOTH, FLIPT_CONTRACT: 'real' });
});

it.each([
  [{}, 'FLIPT_CONTRACT=real needs FLIPT_TEST_URL, FLIPT_TEST_TOKEN too'],
  [{ ...BOTH, FLIPT_TEST_TOKEN: '' }, 'FLIPT_CONTRACT=real needs FLIPT_TEST_TOKEN too'],
  [{ ...BOTH, FLIPT_CONTRACT: 'true' }, 'FLIPT_CONTRACT: expected real or nothing, got true'],
])('settings are refused: %o', (set, message) => {
  expect(() => settings(NEEDED, { FLIPT_CONTRACT: 'real', ...set })).toThrow(message);
});

// A test file that cannot be loaded fails the run.
it.each([
  ['evaluation', () => import('./evaluation.test.js'), ['FLIPT_URL', 'FLIPT_RECORDING']],
  ['service', () => import('./service.test.js'), NEEDED],
])(
  'settings keep the contract tests from asking the embedded service if a real one is meant: %s',
  async (_name, load, needed) => {
    vi.stubEnv('FLIPT_CONTRACT', 'real');
    for (const name of needed) vi.stubEnv(name, undefined);
    await expect(load()).rejects.toThrow(`FLIPT_CONTRACT=real needs ${needed.join(', ')} too`);
  },
);
