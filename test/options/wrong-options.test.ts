import { describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/options/provider-options.js';
import { clientSettings } from '../../src/options/settings.js';
import { makeCertificate } from '../faults/certificate.fixture.js';
import { settled } from './settled.fixture.js';

const AUTH = 'auth: expected exactly one of { token }, { jwt }, { tokenFile }, { headers } or { kubernetes }';
const TLS_OR_DISPATCHER = 'http: expected either dispatcher, or proxy, tls and socketPath';
const OPTIONS = "options: expected an object such as { url: 'http://localhost:8080' }";
const PEM = 'PEM as text (-----BEGIN …) or bytes, not the path of a file';
const OPTION_NAMES =
  'url, auth, environment, reference, headers, http, logger, namespace, targetingKey, attributes, ' +
  'initTimeoutMs, deadlineMs, cache, batch, breaker, watch, evaluation, snapshot, tracking';
const dispatcher = { request: () => undefined };

const { cert, key } = makeCertificate({ name: 'client' });

const WRONG: readonly (readonly [unknown, string])[] = [
  [null, `${OPTIONS}, got null`],
  ['http://me:dummy@localhost', `${OPTIONS}, got a string`],
  [[], `${OPTIONS}, got a list`],
  [5, `${OPTIONS}, got 5`],
  [{ colour: 'x' }, `colour: unknown option, expected one of ${OPTION_NAMES}`],
  [{ token: 'dummy' }, `token: unknown option, expected one of ${OPTION_NAMES}`],
  [new Map(), `${OPTIONS}, got a Map`],
  [Promise.resolve({}), `${OPTIONS}, got a Promise`],
  [
    { cache: { ttl: 5 } },
    'cache.ttl: unknown option, expected one of freshForMs, staleForMs, staleOnErrorForMs, negativeForMs, maxEntries, maxBytes',
  ],
  [
    { http: { tls: { rejectUnauthorized: false } } },
    'http.tls.rejectUnauthorized: unknown option, expected one of ca, cert, key, servername',
  ],
  [{ url: 5 }, 'url: expected an http: or https: address, got 5'],
  [{ url: '' }, "url: expected an address that begins with http: or https:, got ''"],
  [{ url: 'ftp://flipt.test' }, 'url: expected an address that begins with http: or https:, got a string'],
  [{ url: 'flipt.example.com' }, 'url: expected an address that begins with http: or https:, got a string'],
  [
    { url: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc' },
    'url: expected an address that begins with http: or https:, got a string',
  ],
  [{ url: 'localhost:8080' }, 'url: expected an address that begins with http: or https:, got a string'],
  [{ url: 'flipt.test:8080/' }, 'url: expected an address that begins with http: or https:, got a string'],
  [
    { url: 'unix:///run/flipt.sock' },
    'url: expected an address that begins with http: or https:, got a string',
  ],
  [
    { url: new URL('ftp://flipt.test/a') },
    'url: expected an address that begins with http: or https:, got a string',
  ],
  [{ url: new URL('http://a.test/?q') }, 'url: expected an address without query and fragment, got a string'],
  [{ url: { href: 'http://a.test' } }, 'url: expected an http: or https: address, got an object'],
  [{ url: 'http://' }, 'url: expected an http: or https: address, got a string'],
  [{ url: 'http://a.test/?q' }, 'url: expected an address without query and fragment, got a string'],
  [{ url: 'http://a.test/#f' }, 'url: expected an address without query and fragment, got a string'],
  [
    { url: 'http://me:dummy@a.test' },
    'url: expected an address without user name and password (use auth), got a string',
  ],
  [{ namespace: '' }, "namespace: expected the key of a namespace, got ''"],
  [{ namespace: null }, 'namespace: expected the key of a namespace, got null'],
  [
    { environment: '..' },
    'environment: expected the name of an environment without "." or ".." as a part, got a string',
  ],
  [
    { namespace: 'team/../other' },
    'namespace: expected the key of a namespace without "." or ".." as a part, got a string',
  ],
  [
    { namespace: '.' },
    'namespace: expected the key of a namespace without "." or ".." as a part, got a string',
  ],
  [{ environment: 5 }, 'environment: expected the name of an environment, got 5'],
  [{ reference: [] }, 'reference: expected the name of a revision, got a list'],
  [{ auth: 'dummy-token' }, `${AUTH}, got a string`],
  [{ auth: {} }, AUTH],
  [{ auth: { token: undefined } }, AUTH],
  [{ auth: { token: 'dummy', jwt: 'dummy' } }, AUTH],
  [
    { auth: { token: 'Bearer dummy' } },
    'auth.token: expected a token alone, without Bearer, JWT or a space, got a string',
  ],
  [{ auth: { token: '' } }, "auth.token: expected a token, got ''"],
  [{ auth: { token: 5n } }, 'auth.token: expected a token, got a bigint'],
  [{ auth: { jwt: null } }, 'auth.jwt: expected a JSON Web Token, got null'],
  [{ auth: { tokenFile: '' } }, "auth.tokenFile: expected the path of a file, got ''"],
  [{ auth: { headers: {} } }, 'auth.headers: expected a function that returns headers, got an object'],
  [{ auth: { kubernetes: false } }, 'auth.kubernetes: expected true or { tokenPath }, got false'],
  [{ auth: { kubernetes: '/token' } }, 'auth.kubernetes: expected true or { tokenPath }, got a string'],
  [
    { auth: { kubernetes: { tokenPath: '' } } },
    "auth.kubernetes.tokenPath: expected the path of a file, got ''",
  ],
  [{ auth: { kubernetes: { path: 'x' } } }, 'auth.kubernetes: unknown member, expected one of tokenPath'],
  [{ headers: 'x' }, 'headers: expected an object of header names and values, got a string'],
  [{ headers: ['x'] }, 'headers: expected an object of header names and values, got a list'],
  [{ headers: new Headers() }, 'headers: expected an object of header names and values, got a Headers'],
  [{ headers: { 'x-a': 5 } }, 'headers.x-a: expected text, got 5'],
  ...[
    'Connection',
    'content-length',
    'Expect',
    'keep-alive',
    'proxy-connection',
    'TE',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ].map((name): [FliptProviderOptions, string] => [
    { headers: { [name]: '1' } },
    `headers.${name}: expected a header that does not belong to the connection, got a string`,
  ]),
  [{ headers: { 'x a': 'b' } }, 'headers: expected a header name without spaces and colons, got a string'],
  [
    { headers: { 'x-a': 'b\r\nx-b: c' } },
    'headers.x-a: expected text without line breaks or characters beyond Latin-1, got a string',
  ],
  [{ targetingKey: true }, "targetingKey: expected 'optional' or 'required', got true"],
  [{ attributes: ['plan'] }, 'attributes: expected { only: [names] } or { except: [names] }, got a list'],
  [{ attributes: {} }, 'attributes: expected either only or except'],
  [{ attributes: { only: [], except: [] } }, 'attributes: expected either only or except'],
  [{ attributes: { only: 'plan' } }, 'attributes.only: expected a list of attribute names, got a string'],
  [{ attributes: { except: [5] } }, 'attributes.except.0: expected the name of an attribute, got 5'],
  [{ initTimeoutMs: 0 }, 'initTimeoutMs: expected milliseconds >= 1, got 0'],
  [{ deadlineMs: '1000' }, 'deadlineMs: expected milliseconds >= 1, got a string'],
  [{ deadlineMs: NaN }, 'deadlineMs: expected milliseconds >= 1, got NaN'],
  [{ deadlineMs: Infinity }, 'deadlineMs: expected milliseconds <= 2147483647, got Infinity'],
  [{ deadlineMs: () => 5 }, 'deadlineMs: expected milliseconds >= 1, got a function'],
  [{ deadlineMs: Symbol('x') }, 'deadlineMs: expected milliseconds >= 1, got a symbol'],
  [{ cache: 1 }, 'cache: expected true, false or an object of options, got 1'],
  [{ cache: null }, 'cache: expected true, false or an object of options, got null'],
  [{ cache: { freshForMs: -5 } }, 'cache.freshForMs: expected milliseconds >= 0, got -5'],
  [{ cache: { staleForMs: '1' } }, 'cache.staleForMs: expected milliseconds >= 0, got a string'],
  [{ cache: { staleOnErrorForMs: -1 } }, 'cache.staleOnErrorForMs: expected milliseconds >= 0, got -1'],
  [{ cache: { negativeForMs: {} } }, 'cache.negativeForMs: expected milliseconds >= 0, got an object'],
  [{ cache: { maxEntries: 0 } }, 'cache.maxEntries: expected entries >= 1, got 0'],
  [{ cache: { maxEntries: 1.5 } }, 'cache.maxEntries: expected a whole number of entries >= 1, got 1.5'],
  [{ cache: { maxEntries: 1e10 } }, 'cache.maxEntries: expected entries <= 16777216, got 10000000000'],
  [{ cache: { maxBytes: Infinity } }, 'cache.maxBytes: expected bytes >= 1, got Infinity'],
  [{ batch: 50 }, 'batch: expected true, false or an object of options, got 50'],
  [{ batch: { maxItems: 0 } }, 'batch.maxItems: expected items >= 1, got 0'],
  [{ batch: { maxBytes: '1 MB' } }, 'batch.maxBytes: expected bytes >= 1, got a string'],
  [{ batch: { maxConcurrent: -1 } }, 'batch.maxConcurrent: expected requests >= 1, got -1'],
  [{ batch: { maxWaiting: 0 } }, 'batch.maxWaiting: expected questions >= 1, got 0'],
  [{ http: [] }, 'http: expected an object of options, got a list'],
  [{ http: { timeoutMs: 0 } }, 'http.timeoutMs: expected milliseconds >= 1, got 0'],
  [{ http: { retries: 1e9 } }, 'http.retries: expected attempts <= 100, got 1000000000'],
  [{ http: { retries: -1 } }, 'http.retries: expected attempts >= 0, got -1'],
  [{ http: { dispatcher: {} } }, 'http.dispatcher: expected an undici dispatcher, got an object'],
  [
    { http: { proxy: 'proxy:3128' } },
    `http.proxy: expected 'env', false or an http: or https: address, got a string`,
  ],
  [
    { http: { proxy: 'proxy.example.com' } },
    `http.proxy: expected 'env', false or an http: or https: address, got a string`,
  ],
  [
    { http: { proxy: 'me:dummy@proxy:3128' } },
    "http.proxy: expected 'env', false or an http: or https: address, got a string",
  ],
  [
    { http: { proxy: 'http://me:100%@proxy.test' } },
    'http.proxy: expected an address whose user and password are percent-encoded, got a string',
  ],
  [
    { http: { tls: true } },
    'http.tls: expected { ca, cert, key, servername } or a function that returns them, got true',
  ],
  [{ http: { tls: { ca: 5 } } }, `http.tls.ca: expected ${PEM}, or a list of them, got 5`],
  [{ http: { tls: { key: '/etc/flipt/key.pem' } } }, `http.tls.key: expected ${PEM}, got a string`],
  [{ http: { tls: { cert: [] } } }, `http.tls.cert: expected ${PEM}, got a list`],
  ...[{ cert }, { key }].map((tls): [unknown, string] => [
    { http: { tls } },
    'http.tls: expected cert and key together',
  ]),
  [{ http: { tls: { servername: '' } } }, "http.tls.servername: expected a host name, got ''"],
  [{ http: { socketPath: 5 } }, 'http.socketPath: expected the path of a Unix domain socket, got 5'],
  [{ http: { dispatcher, proxy: 'env' } }, TLS_OR_DISPATCHER],
  [{ http: { dispatcher, tls: {} } }, TLS_OR_DISPATCHER],
  [{ http: { proxy: 'http://proxy.test', socketPath: '/s' } }, 'http: expected either proxy or socketPath'],
  [{ breaker: 3 }, 'breaker: expected true, false or an object of options, got 3'],
  [{ watch: 'yes' }, 'watch: expected true, false or an object of options, got a string'],
  [{ watch: { pollMs: 15 } }, 'watch.pollMs: expected milliseconds >= 100, got 15'],
  [{ watch: { maxAgeMs: -1 } }, 'watch.maxAgeMs: expected milliseconds >= 0, got -1'],
  [{ watch: { stream: 'yes' } }, 'watch.stream: expected true or false, got a string'],
  [{ breaker: { failures: 0 } }, 'breaker.failures: expected failures >= 1, got 0'],
  [{ breaker: { openForMs: 0 } }, 'breaker.openForMs: expected milliseconds >= 1, got 0'],
  [
    { breaker: { maxOpenForMs: 3e9 } },
    'breaker.maxOpenForMs: expected milliseconds <= 2147483647, got 3000000000',
  ],
  [
    { logger: () => undefined },
    'logger: expected an object with the functions error, warn, info and debug, got a function',
  ],
  [
    { logger: { warn: () => undefined } },
    'logger: expected an object with the functions error, warn, info and debug, got an object',
  ],
];

it('a wrong option is named without calling getters', () => {
  const given = {
    get member(): never {
      throw new Error('defect');
    },
  };
  expect(() => settled({ namespace: given })).toThrow(
    new TypeError('FliptProvider: namespace: expected the key of a namespace, got an object'),
  );
  const wide = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}`.repeat(50_000), at]));
  expect(() => settled({ logger: wide })).toThrow(/^.{1,300}$/);
});

describe('a wrong option is a TypeError that says which, what was expected and what was given', () => {
  it.each(WRONG.map(([options, message]) => ({ options, message })))('$message', ({ options, message }) => {
    expect(() => settled(options)).toThrow(new TypeError(`FliptProvider: ${message}`));
  });

  it('but never shows what may be a credential', () => {
    const secret = 'dummy-secret\n';
    for (const options of [
      { auth: { token: secret } },
      { auth: secret },
      { headers: { authorization: secret } },
      { url: `http://me:${secret.trim()}@a.test` },
      { url: `me:${secret.trim()}` },
      { url: secret.trim() },
      { url: `${secret.trim()}.${secret.trim()}.${secret.trim()}` },
      { url: `ftp://a.test/x;token=${secret.trim()}` },
      { http: { proxy: `socks://me:${secret.trim()}@a.test` } },
      { http: `http://me:${secret.trim()}@a.test` },
      { http: { dispatcher: secret } },
      { auth: { token: { [secret]: 1 } } },
      secret,
    ]) {
      let message = '';
      try {
        settled(options);
      } catch (error) {
        message = String(error);
      }
      expect(message).toContain('TypeError');
      expect(message).not.toContain(secret.trim());
    }
  });

  it('and for the typed client likewise, which knows fewer options', () => {
    expect(() => clientSettings({ namespace: 'x' } as never, {})).toThrow(
      new TypeError(
        'FliptClient: namespace: unknown option, expected one of url, auth, environment, reference, headers, http, logger',
      ),
    );
    expect(() => clientSettings({ url: 'x' }, {})).toThrow(TypeError);
    expect(clientSettings({ url: 'http://a.test/' }, {})).toMatchObject({ url: 'http://a.test' });
  });
});
