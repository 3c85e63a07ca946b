import { describe, expect, it, vi } from 'vitest';
import type { FliptProviderOptions } from '../../src/options/provider-options.js';
import { clientSettings, CREDENTIAL_VARIABLES, providerSettings } from '../../src/options/settings.js';
import { settled } from './settled.fixture.js';

describe('the environment', () => {
  it.each([
    ['FLIPT_URL', 'http://flipt.test/', { url: 'http://flipt.test' }],
    ['FLIPT_NAMESPACE', 'shop', { namespace: 'shop' }],
    ['FLIPT_URL', ' http://flipt.test/\n', { url: 'http://flipt.test' }],
    ['FLIPT_NAMESPACE', 'shop\n', { namespace: 'shop' }],
    ['FLIPT_ENVIRONMENT', 'staging\n', { environment: 'staging' }],
    ['FLIPT_REFERENCE', ' main', { reference: 'main' }],
    ['FLIPT_EVALUATION', 'in-process\n', { evaluation: 'in-process' }],
    ['FLIPT_ENVIRONMENT', 'staging', { environment: 'staging' }],
    ['FLIPT_REFERENCE', 'main', { reference: 'main' }],
    ['FLIPT_TOKEN', 'dummy-token', { auth: { token: 'dummy-token' } }],
    ['FLIPT_TOKEN', ' dummy-token\n', { auth: { token: 'dummy-token' } }],
    ['FLIPT_JWT', 'dummy.jwt', { auth: { jwt: 'dummy.jwt' } }],
    ['FLIPT_JWT', 'dummy.jwt\r\n', { auth: { jwt: 'dummy.jwt' } }],
    ['FLIPT_TOKEN_FILE', '/run/token', { auth: { tokenFile: '/run/token' } }],
    ['FLIPT_AUTH', 'kubernetes', { auth: { kubernetes: true } }],
  ])('%s sets what no option sets, and is ignored if empty', (name, value, expected) => {
    expect(settled({}, { [name]: value })).toMatchObject(expected);
    const [option] = Object.keys(expected) as (keyof FliptProviderOptions)[];
    expect(settled({}, { [name]: '' })[option!]).toEqual(settled({})[option!]);
  });

  it('is overridden by options', () => {
    const env = {
      FLIPT_URL: 'http://env.test',
      FLIPT_NAMESPACE: 'env',
      FLIPT_ENVIRONMENT: 'env',
      FLIPT_REFERENCE: 'env',
      FLIPT_TOKEN: 'dummy-env',
    };
    const options = {
      url: 'http://option.test',
      namespace: 'option',
      environment: 'option',
      reference: 'option',
      auth: { jwt: 'dummy.jwt' },
    };
    expect(settled(options, env)).toMatchObject(options);
  });

  it.each([
    [
      { FLIPT_TOKEN: 'a', FLIPT_JWT: 'b' },
      'FliptProvider: FLIPT_TOKEN and FLIPT_JWT: expected one of them, got 2',
    ],
    [
      { FLIPT_TOKEN: 'a', FLIPT_JWT: 'b', FLIPT_TOKEN_FILE: 'c' },
      'FliptProvider: FLIPT_TOKEN and FLIPT_JWT and FLIPT_TOKEN_FILE: expected one of them, got 3',
    ],
    [
      { FLIPT_AUTH: 'kubernetes', FLIPT_JWT: 'b' },
      'FliptProvider: FLIPT_JWT and FLIPT_AUTH: expected one of them, got 2',
    ],
    [{ FLIPT_AUTH: 'oidc' }, /^FliptProvider: FLIPT_AUTH: expected kubernetes, got other text$/],
    [
      { FLIPT_URL: 'localhost:8080' },
      'FliptProvider: FLIPT_URL: expected an address that begins with http: or https:, got a string',
    ],
    [
      { FLIPT_ENVIRONMENT: 'a\nb' },
      /^FliptProvider: FLIPT_ENVIRONMENT: expected the name of an environment without line breaks/,
    ],
    [
      { FLIPT_TOKEN: 'dum\nmy' },
      /^FliptProvider: FLIPT_TOKEN: expected a token without line breaks .*got a string$/,
    ],
    [
      { FLIPT_JWT: 'Bearer dummy' },
      'FliptProvider: FLIPT_JWT: expected a JSON Web Token alone, without Bearer, JWT or a space, got a string',
    ],
  ])('is checked like options: %j', (env, message) => {
    expect(() => settled({}, env)).toThrow(TypeError);
    expect(() => settled({}, env)).toThrow(message);
  });

  it('may have credentials of two kinds if an option gives them', () => {
    const env = { FLIPT_TOKEN: 'a', FLIPT_JWT: 'b' };
    expect(settled({ auth: { token: 'dummy-token' } }, env).auth).toEqual({ token: 'dummy-token' });
  });

  it.each(['Authorization', 'authorization'])('gives no credentials if the option headers has %s', (name) => {
    const headers = { [name]: 'Basic dummy' };
    expect(settled({ headers }, { FLIPT_TOKEN: 'a', FLIPT_JWT: 'b' }).auth).toBeUndefined();
    expect(settled({ headers: { 'x-gateway-key': 'dummy' } }, { FLIPT_TOKEN: 'a' }).auth).toEqual({
      token: 'a',
    });
  });

  it('is not blamed for what an option has wrong', () => {
    expect(() => settled({ namespace: '' }, { FLIPT_NAMESPACE: 'shop' })).toThrow(
      'FliptProvider: namespace: ',
    );
    expect(() => settled({ auth: { jwt: '' } }, { FLIPT_TOKEN: 'a' })).toThrow('FliptProvider: auth.jwt: ');
    expect(() => settled({ namespace: undefined }, { FLIPT_NAMESPACE: '..' })).toThrow('FLIPT_NAMESPACE: ');
  });

  it('is that of the process by default', () => {
    vi.stubEnv('FLIPT_NAMESPACE', 'of-the-process');
    expect(providerSettings().namespace).toBe('of-the-process');
    vi.stubEnv('FLIPT_URL', 'http://of-the-process.test');
    expect(clientSettings().url).toBe('http://of-the-process.test');
    vi.unstubAllEnvs();
  });

  const MISSING = `no credentials are configured (auth, ${CREDENTIAL_VARIABLES})`;

  it.each<[Record<string, string>, string]>([
    [{}, MISSING],
    [{ FLIPT_TOKEN: ' \n', FLIPT_BOOTSTRAP_TOKEN: 'a', FLIPT_AUTHENTICATION_REQUIRED: 'true' }, MISSING],
    [
      { FLIPT_TOKENS: 'a', FLIPT_AUTH_TOKEN: 'b' },
      `${MISSING}; these variables are not read: FLIPT_TOKENS, FLIPT_AUTH_TOKEN`,
    ],
    [
      { FLIPT_API_KEY: 'a', FLIPT_JWTS: '', OTHER_TOKEN: 'b' },
      `${MISSING}; these variables are not read: FLIPT_API_KEY`,
    ],
  ])('without credentials (%j) names those that are missing or misspelt', (env, missing) => {
    expect(settled({}, env).credentialsAdvice).toBe(missing);
  });

  it.each<[FliptProviderOptions, Record<string, string>, string]>([
    [{}, { FLIPT_TOKEN: 'dummy' }, 'check FLIPT_TOKEN'],
    [{}, { FLIPT_JWT: 'dummy' }, 'check FLIPT_JWT'],
    [{}, { FLIPT_TOKEN_FILE: '/dummy' }, 'check FLIPT_TOKEN_FILE'],
    [{}, { FLIPT_AUTH: 'kubernetes' }, 'check FLIPT_AUTH'],
    [{ auth: { token: 'dummy' } }, { FLIPT_JWT: 'dummy' }, 'check the option auth'],
    [{ headers: { Authorization: 'dummy' } }, {}, 'check the option headers'],
    [{ headers: { Authorization: 'dummy' } }, { FLIPT_TOKEN: 'dummy' }, 'check the option headers'],
    [{ headers: { 'x-gateway-key': 'dummy' } }, { FLIPT_TOKEN: 'dummy' }, 'check FLIPT_TOKEN'],
  ])('after a 401 with the credentials of %j and %j: %s', (options, env, advice) => {
    expect(settled(options, env).credentialsAdvice).toBe(advice);
  });
});
