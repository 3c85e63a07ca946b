import { describe, expect, it, vi } from 'vitest';
import { CREDENTIAL_VARIABLES, withVariables } from '../../src/options/environment.js';
import { providerRules, type FliptProviderOptions } from '../../src/options/provider-options.js';
import { clientSettings, providerSettings } from '../../src/options/settings.js';
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
      'FliptProvider: FLIPT_URL: expected an address that begins with http: or https:, got "localhost:8080"; did you mean "http://localhost:8080"?',
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

  it('is that of the process by default', () => {
    vi.stubEnv('FLIPT_NAMESPACE', 'of-the-process');
    expect(providerSettings().namespace).toBe('of-the-process');
    vi.stubEnv('FLIPT_URL', 'http://of-the-process.test');
    expect(clientSettings().url).toBe('http://of-the-process.test');
    vi.unstubAllEnvs();
  });

  describe('sets options of any kind', () => {
    const variables = new Map([
      ['deadlineMs', 'FLIPT_DEADLINE_MS'],
      ['watch', 'FLIPT_WATCH'],
      ['breaker.failures', 'FLIPT_FAILURES'],
      ['http.tls.servername', 'FLIPT_SERVERNAME'],
      ['snapshot.file', 'FLIPT_SNAPSHOT'],
    ]);
    const read = (options: FliptProviderOptions, env: Record<string, string>) =>
      withVariables(providerRules, options, env, variables);

    it.each<[FliptProviderOptions, string, string, object]>([
      [{}, 'FLIPT_DEADLINE_MS', '500', { deadlineMs: 500 }],
      [{ deadlineMs: 7 }, 'FLIPT_DEADLINE_MS', '500', { deadlineMs: 7 }],
      [{}, 'FLIPT_WATCH', 'false', { watch: undefined }],
      [{}, 'FLIPT_WATCH', 'true', { watch: { pollMs: 15_000 } }],
      [{}, 'FLIPT_FAILURES', ' 7\n', { breaker: { failures: 7, openForMs: 5_000 } }],
      [{ breaker: true }, 'FLIPT_FAILURES', '7', { breaker: { failures: 7 } }],
      [{ breaker: { openForMs: 1 } }, 'FLIPT_FAILURES', '7', { breaker: { failures: 7, openForMs: 1 } }],
      [{ breaker: { failures: 2 } }, 'FLIPT_FAILURES', '7', { breaker: { failures: 2 } }],
      [{ breaker: false }, 'FLIPT_FAILURES', '7', { breaker: undefined }],
      [{ http: { retries: 9 } }, 'FLIPT_SERVERNAME', 'a', { http: { retries: 9, tls: { servername: 'a' } } }],
      [{}, 'FLIPT_SNAPSHOT', '2024', { snapshot: { file: '2024' } }],
    ])('%j with %s=%j', (options, name, text, expected) => {
      expect(read(options, { [name]: text })).toMatchObject(expected);
    });

    it.each([
      ['FLIPT_DEADLINE_MS', '0', 'milliseconds >= 1, got "0"'],
      ['FLIPT_DEADLINE_MS', 'soon', 'milliseconds >= 1, got "soon"'],
      ['FLIPT_FAILURES', 'true', 'failures >= 1, got "true"'],
      ['FLIPT_WATCH', 'no', 'true, false or an object of options, got "no"'],
    ])('and names %s=%s if the option does not accept it', (name, text, message) => {
      expect(() => read({}, { [name]: text })).toThrow(
        new TypeError(`FliptProvider: ${name}: expected ${message}`),
      );
    });
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
