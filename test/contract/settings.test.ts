import { expect, it } from 'vitest';
import { node } from '../examples/running.fixture.js';
import { settings } from './settings.fixture.js';

const NEEDED = ['FLIPT_TEST_URL', 'FLIPT_TEST_TOKEN'] as const;
const BOTH = { FLIPT_TEST_URL: 'http://localhost:1', FLIPT_TEST_TOKEN: 'dummy' };

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

it('settings keep the contract tests from asking the embedded service if a real one is meant', async () => {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run'];
  const files = ['test/contract/evaluation.test.ts', 'test/contract/service.test.ts'];
  const { code, output } = await node([...vitest, ...files], { FLIPT_CONTRACT: 'real' }).ended;
  expect(code).toBe(1);
  expect(output).toContain('FLIPT_CONTRACT=real needs FLIPT_URL, FLIPT_RECORDING too');
  expect(output).toContain('FLIPT_CONTRACT=real needs FLIPT_TEST_URL, FLIPT_TEST_TOKEN too');
});
