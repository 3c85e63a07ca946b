import { expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/options/provider-options.js';
import { settled } from './settled.fixture.js';

it.each<[object, string]>([
  [{ auth: { 'dummy-secret': true } }, 'auth: unknown member, expected one of token, jwt, '],
  [
    { auth: { kubernetes: { 'dummy-secret': true } } },
    'auth.kubernetes: unknown member, expected one of tokenPath',
  ],
  [
    { headers: { 'Bearer dummy-secret': 'a' } },
    'headers: expected a header name without spaces and colons, got a string',
  ],
])('a name that may be a credential in the wrong place is not quoted: %j', (options, message) => {
  const settle = () => settled(options);
  expect(settle).toThrow(TypeError);
  expect(settle).toThrow(`FliptProvider: ${message}`);
  expect(settle).not.toThrow('dummy-secret');
});

it.each(['authenticationStrategy', 'authentication'])(
  '%s, of another client, leads to the option here',
  (name) => {
    const options = { [name]: {} } as FliptProviderOptions;
    expect(() => settled(options)).toThrow(
      `FliptProvider: ${name}: unknown option; did you mean auth: { token } or auth: { jwt }?`,
    );
  },
);
