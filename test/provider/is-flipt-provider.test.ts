import { NOOP_PROVIDER, type Provider } from '@openfeature/server-sdk';
import { expect, it } from 'vitest';
import { FliptProvider, isFliptProvider } from '../../src/index.js';

// The tests in test/package show that `isFliptProvider` recognises a provider of another copy of this package.
it('recognises a provider of this package, and narrows its type', () => {
  const provider: Provider = new FliptProvider();
  expect(isFliptProvider(provider) && provider.getStatus().namespace).toBe('default');
});

it.each([
  ['another provider', NOOP_PROVIDER],
  ['an object of the same name', { metadata: { name: 'flipt' } }],
  ['undefined', undefined],
  ['null', null],
  ['a string', 'flipt'],
  ['the class itself', FliptProvider],
])('does not take %s for one', (_, value) => {
  expect(isFliptProvider(value)).toBe(false);
});
