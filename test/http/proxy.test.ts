import { describe, expect, it } from 'vitest';
import { plainTextWarning } from '../../src/http/proxy.js';
import { clientSettings } from '../../src/options/settings.js';

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
  ['http://flipt.test', 'env', { http_proxy: 'small.test', HTTP_PROXY: 'http://plain.test' }, 'small.test'],
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
  const settings = clientSettings({ url, auth: { token: 'dummy' }, http: { proxy: 'env' } }, env);
  expect(plainTextWarning(settings)).toBe(warning);
});

it.each([
  ['no address', 'an http: or https: address'],
  ['ftp://proxy.test', 'an http: or https: address'],
  ['http://me:100%@proxy.test', 'an address whose user and password are percent-encoded'],
])('a variable with %s is a wrong option, and its text is not shown', (https_proxy, expected) => {
  const options = { url: 'https://flipt.test', http: { proxy: 'env' } };
  expect(() => clientSettings(options, { https_proxy })).toThrow(
    new TypeError(`FliptClient: https_proxy: expected ${expected}, got a string`),
  );
  expect(() => clientSettings({ url: 'https://flipt.test' }, { https_proxy })).not.toThrow();
});

describe('a SOCKS proxy in the environment', () => {
  const SOCKS = 'socks5h://me:dummy@proxy.test:1080';
  const message = (name: string) =>
    `FliptClient: ${name}: names a SOCKS proxy (socks5h:), which cannot be used; set NO_PROXY=* for no proxy, or http.proxy to an http: or https: one`;
  const settings = (url: string, proxy: string | undefined, env: Record<string, string>) =>
    clientSettings({ url, http: proxy === undefined ? {} : { proxy } }, env).http.proxy?.hostname;

  it.each([
    ['http://flipt.test', 'ALL_PROXY'],
    ['https://flipt.test', 'all_proxy'],
    ['https://flipt.test', 'HTTPS_PROXY'],
  ])('is an error for %s in %s, whose ways out work', (url, name) => {
    const env = { [name]: SOCKS };
    expect(() => settings(url, 'env', env)).toThrow(new TypeError(message(name)));
    expect(settings(url, 'env', { ...env, NO_PROXY: '*' })).toBeUndefined();
    expect(settings(url, 'http://other.test', env)).toBe('other.test');
    expect(settings(url, undefined, env)).toBeUndefined();
  });

  it('does not count where another one does, or for another scheme', () => {
    const env = { ALL_PROXY: SOCKS, HTTPS_PROXY: 'http://tunnel.test' };
    expect(settings('https://flipt.test', 'env', env)).toBe('tunnel.test');
    expect(settings('http://flipt.test', 'env', { HTTPS_PROXY: SOCKS })).toBeUndefined();
  });
});
