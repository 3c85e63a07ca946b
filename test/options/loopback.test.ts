import { expect, it } from 'vitest';
import { isLoopback } from '../../src/options/address.js';

it.each([
  ['localhost', true],
  ['localhost.', true],
  ['flipt.localhost', true],
  ['127.0.0.1', true],
  ['127.255.1.2', true],
  ['::1', true],
  ['[::1]', true],
  ['flipt', false],
  ['localhost.test', false],
  ['mylocalhost', false],
  ['127.test', false],
  ['128.0.0.1', false],
  ['0.0.0.0', false],
  ['::', false],
  ['[::2]', false],
])('%s reaches this machine only: %s', (host, isLocal) => {
  expect(isLoopback(host)).toBe(isLocal);
});
