import { fork } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000 });

const CASES = ['msw', 'nock', 'nock13', 'undici'].flatMap((mock) =>
  ['esm', 'cjs'].map((modules) => [mock, modules] as const),
);

it.each(CASES)('%s answers in place of Flipt, from %s', async (mock, modules) => {
  const child = fork(join(import.meta.dirname, 'mocked-process.mjs'), {
    env: { ...process.env, MOCK: mock, MODULES: modules },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  const message = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => {
      reject(new Error(`ended with ${String(code)}: ${errors}`));
    });
  });
  expect(message).toEqual({ value: true, reason: 'DEFAULT' });
});
