import { expect, it } from 'vitest';
import { get } from '../traffic/listening.fixture.js';
import { node, served } from './running.fixture.js';

const MAIN = ['examples/vendor-swap/main.js'];
const SAME = { newCheckout: true, greeting: 'hello', limits: { projects: 3 } };

it.each<[string, Record<string, string>, object]>([
  ['flipt', {}, { ...SAME, vendor: 'flipt', banner: 'none' }],
  ['memory', {}, { ...SAME, vendor: 'in-memory', banner: 'none' }],
  [
    'env',
    { NEW_CHECKOUT: 'true', GREETING: 'hello', LIMITS: '{"projects":3}' },
    { ...SAME, vendor: 'environment variable', banner: 'none' },
  ],
  ['multi', {}, { ...SAME, vendor: expect.any(String) as string, banner: 'Summer sale' }],
])('runs the same app with %s', async (PROVIDER, settings, answer) => {
  const { url, interrupt } = await served(MAIN, { PROVIDER, ...settings });
  expect(await get(url)).toEqual(answer);
  expect(await interrupt()).toMatchObject({ code: 0, signal: null });
});

it('says which providers there are', async () => {
  const { code, output } = await node(MAIN, { PROVIDER: 'other' }).ended;
  expect([code, output]).toEqual([1, 'PROVIDER: expected one of flipt, memory, env, multi, got other\n']);
});
