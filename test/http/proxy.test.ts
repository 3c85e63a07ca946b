import { expect, it } from 'vitest';
import { plainTextWarning, proxyFor } from '../../src/http/proxy.js';
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
  ['http://flipt.test', 'env', { http_proxy: 'no address' }, undefined],
])('to %s with the proxy %s and %j, requests go through %s', (url, proxy, env, host) => {
  expect(proxyFor(new URL(url), proxy, env)?.hostname).toBe(host);
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
  const settings = clientSettings({ url, auth: { token: 'dummy' }, http: { proxy: 'env' } }, {});
  expect(plainTextWarning(settings, env)).toBe(warning);
});
