import { expect, it } from 'vitest';
import { clientSettings } from '../../src/options/settings.js';
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

it.each<[object, string]>([
  [{ cahce: {} }, 'cahce: unknown option; did you mean "cache"?'],
  [{ uri: 'x' }, 'uri: unknown option; did you mean "url"?'],
  [{ URL: 'x' }, 'URL: unknown option; did you mean "url"?'],
  [{ cache: { freshForMS: 1 } }, 'cache.freshForMS: unknown option; did you mean "freshForMs"?'],
  [{ auth: { tokn: 'dummy' } }, 'auth: unknown member; did you mean "token"?'],
  [
    { tracking: { send: () => undefined, falgs: [] } },
    'tracking.falgs: unknown option; did you mean "flags"?',
  ],
])('an unknown option leads to the one beside it that was probably meant: %j', (options, message) => {
  expect(() => settled(options)).toThrow(new TypeError(`FliptProvider: ${message}`));
});

it('the typed client does not lead to an option that it does not have', () => {
  expect(() => clientSettings({ namespase: 'a' } as never, {})).toThrow(
    /^FliptClient: namespase: unknown option, expected one of url, auth, .*, logger$/,
  );
});
