import { describe, expect, it, vi } from 'vitest';
import { openTransport } from '../../src/http/exchange.js';
import { clientSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';

const BOTH = { http_proxy: 'http://plain.test', HTTPS_PROXY: 'http://tunnel.test' };

it.each<[string, string | undefined, Record<string, string>, string | undefined]>([
  ['http://flipt.test', undefined, BOTH, undefined],
  ['http://flipt.test', 'http://own.test', BOTH, 'own.test'],
  ['http://flipt.test', 'env', {}, undefined],
  ['http://flipt.test', 'env', BOTH, 'plain.test'],
  ['https://flipt.test', 'env', BOTH, 'tunnel.test'],
  ['https://flipt.test', 'env', { http_proxy: 'http://plain.test' }, 'plain.test'],
  ['http://flipt.test', 'env', { ...BOTH, NO_PROXY: '*' }, undefined],
  ['http://flipt.test', 'env', { ...BOTH, no_proxy: 'other.test, .test' }, undefined],
  ['http://flipt.test', 'env', { ...BOTH, no_proxy: 'flipt.test' }, undefined],
  ['http://a.flipt.test', 'env', { ...BOTH, no_proxy: 'FLIPT.test' }, undefined],
  ['http://flipt.test:8080', 'env', { ...BOTH, no_proxy: 'flipt.test:8080' }, undefined],
  ['http://flipt.test', 'env', { ...BOTH, no_proxy: 'flipt.test:80' }, undefined],
  ['http://flipt.test', 'env', { ...BOTH, no_proxy: 'flipt.test:8080' }, 'plain.test'],
  ['http://flipt.test', 'env', { ...BOTH, no_proxy: 'lipt.test' }, 'plain.test'],
  ['http://flipt.test', 'env', { ...BOTH, no_proxy: 'other.test,*' }, undefined],
  ['http://flipt.test', 'env', { http_proxy: '', HTTP_PROXY: 'http://plain.test' }, undefined],
  [
    'http://flipt.test',
    'env',
    { http_proxy: 'http://small.test', HTTP_PROXY: 'http://plain.test' },
    'small.test',
  ],
  ['http://flipt.test', 'env', { HTTPS_PROXY: 'http://tunnel.test' }, undefined],
  ['http://flipt.test', 'env', { ALL_PROXY: 'http://all.test' }, 'all.test'],
  ['https://flipt.test', 'env', { ALL_PROXY: 'http://all.test', ...BOTH }, 'tunnel.test'],
  ['http://10.1.2.3', 'env', { ...BOTH, no_proxy: '10.0.0.0/8' }, undefined],
  ['http://11.1.2.3', 'env', { ...BOTH, no_proxy: '10.0.0.0/8' }, 'plain.test'],
  ['http://10.1.2.3', 'env', { ...BOTH, no_proxy: '10.1.2.1-10.1.2.9' }, undefined],
  ['http://10.1.2.3', 'env', { ...BOTH, no_proxy: '10.1.2.9-10.1.2.1,10.0.0.0/99' }, 'plain.test'],
  ['http://10.1.2.3', 'env', { ...BOTH, no_proxy: '2.3' }, 'plain.test'],
  ['http://10.1.2.3', 'env', { ...BOTH, no_proxy: '.2.3,*.1.2.3,3' }, 'plain.test'],
  ['http://10.1.2.3', 'env', { ...BOTH, no_proxy: '10.1.2.3' }, undefined],
  ['http://10.1.2.3:8080', 'env', { ...BOTH, no_proxy: '10.1.2.3:8080' }, undefined],
  ['http://10-0.test', 'env', { ...BOTH, no_proxy: '10-0.test' }, undefined],
  ['http://[fd00::1]', 'env', { ...BOTH, no_proxy: 'fd00::/8' }, undefined],
  ['http://[fd00::1]', 'env', { ...BOTH, no_proxy: '10.0.0.0/8' }, 'plain.test'],
  ['http://[fd00::1]:8080', 'env', { ...BOTH, no_proxy: '[fd00::1]:8080' }, undefined],
  ['http://[fd00::1]', 'env', { ...BOTH, no_proxy: 'fd00::1' }, undefined],
  ['http://[fd00::1]', 'env', { ...BOTH, no_proxy: 'FD00:0:0::0001' }, undefined],
  ['http://[fd00::1]', 'env', { ...BOTH, no_proxy: '[fd00:0::1]:80' }, undefined],
  ['http://[fd00::1]', 'env', { ...BOTH, no_proxy: '[fd00:0::2]:80' }, 'plain.test'],
  ['http://flipt.test.', 'env', { ...BOTH, no_proxy: 'flipt.test' }, undefined],
  ['http://flipt.test', 'env', { ...BOTH, no_proxy: 'flipt.test.' }, undefined],
  ['http://a.flipt.test', 'env', { ...BOTH, no_proxy: '.test.:80' }, undefined],
  ['http://flipt.test', 'env', { ...BOTH, no_proxy: '.' }, 'plain.test'],
])('to %s with the proxy %s and %j, requests go through %s', (url, proxy, env, host) => {
  expect(clientSettings({ url, http: { proxy } }, env).http.proxy?.hostname).toBe(host);
});

it.each<[string, Record<string, string>, string | undefined]>([
  [
    'http://flipt.test',
    BOTH,
    'credentials for Flipt are sent unencrypted to flipt.test through the proxy plain.test: use an https: address (url)',
  ],
  ['https://flipt.test', BOTH, undefined],
  [
    'https://flipt.test',
    { https_proxy: 'http://me:dummy@tunnel.test' },
    'the password of the proxy is sent unencrypted to tunnel.test: use an https: address (http.proxy)',
  ],
  ['http://localhost', { ...BOTH, no_proxy: 'localhost' }, undefined],
])('a token for %s in the environment %j: %s', (url, env, warning) => {
  const warn = vi.fn();
  const logger = { error: warn, warn, info: warn, debug: warn };
  const options = { url, auth: { token: 'dummy' }, http: { proxy: 'env' }, logger };
  void openTransport(clientSettings(options, env), runtimeOf(manualClock())).close();
  expect(warn.mock.calls.flat()).toEqual(warning === undefined ? [] : [warning]);
});

const WRONG = 'expected an http: or https: address, with its user and password percent-encoded';

it.each([
  ['no address', 'HTTPS_PROXY'],
  ['proxy.test:3128', 'https_proxy'],
  ['ftp://proxy.test', 'ALL_PROXY'],
  ['socks5h://me:dummy@proxy.test:1080', 'HTTP_PROXY'],
  ['http://me:100%@proxy.test', 'all_proxy'],
])('%j in %s is refused by its name, is not shown, and has two ways out', (value, name) => {
  const hostOf = (proxy: string | undefined, more: object = {}) =>
    clientSettings({ url: 'https://flipt.test', http: { proxy } }, { [name]: value, ...more }).http.proxy
      ?.hostname;
  const words = `FliptClient: ${name}: ${WRONG}; set NO_PROXY=* for no proxy, or http.proxy to another one`;
  expect(() => hostOf('env')).toThrow(new TypeError(words));
  expect(hostOf('env', { NO_PROXY: '*' })).toBeUndefined();
  expect(hostOf('http://other.test')).toBe('other.test');
  expect(hostOf(undefined)).toBeUndefined();
});

it('a proxy that cannot be used does not count where another one does, or for another scheme', () => {
  const hostOf = (url: string, env: Record<string, string>) =>
    clientSettings({ url, http: { proxy: 'env' } }, env).http.proxy?.hostname;
  const socks = 'socks5://proxy.test';
  expect(hostOf('https://flipt.test', { ALL_PROXY: socks, HTTPS_PROXY: 'http://tunnel.test' })).toBe(
    'tunnel.test',
  );
  expect(hostOf('http://flipt.test', { HTTPS_PROXY: socks })).toBeUndefined();
});

describe('with a proxy, from the option or from a variable', () => {
  const made = (http: object) => () =>
    clientSettings({ url: 'https://flipt.test', http }, { HTTPS_PROXY: 'http://proxy.test' });

  it.each([{ proxy: 'http://proxy.test' }, { proxy: 'env' }])('%j, http.tls cannot be a function', (http) => {
    const message =
      'FliptClient: http.tls: expected certificates, because requests go through a proxy, got a function';
    expect(made({ ...http, tls: () => ({}) })).toThrow(new TypeError(message));
    expect(made({ tls: () => ({}) })).not.toThrow();
  });

  it.each([{ proxy: 'http://proxy.test' }, { proxy: 'env' }])('%j, Bun is refused', (http) => {
    vi.stubGlobal('Bun', {});
    const message =
      'FliptClient: http.proxy: expected no proxy on Bun, which cannot use one; set http.dispatcher instead';
    expect(made(http)).toThrow(new TypeError(message));
    expect(made({})).not.toThrow();
    vi.unstubAllGlobals();
  });
});
