import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { rawServer, reply } from './raw-server.fixture.js';
import { rig } from './rig.fixture.js';

useTurningClock();

it('shows no credential: in no inspected object, message, log line or event', async () => {
  const secrets = ['hidden-one', 'hidden-two', 'hidden-three', 'hidden-four', 'hidden-five'];
  const [token = '', jwt = '', own = '', proxyPassword = '', fromEnvironment = ''] = secrets;
  const shown: string[] = [];
  // Repeats the whole request, like the error pages of some gateways.
  await using server = await rawServer((socket, request) =>
    socket.write(reply('403 Forbidden', `{"message":${JSON.stringify(request.head)}}`)),
  );
  const proxy = `http://user:${proxyPassword}@${new URL(server.url).host}`;
  const settings: FliptProviderOptions[] = [
    { auth: { token } },
    { auth: { jwt } },
    { auth: { headers: () => ({ 'x-api-key': own }) } },
    { auth: { headers: () => Promise.reject(new Error(own)) } },
    { auth: { token }, http: { proxy } },
    { http: { proxy: 'env' } },
  ];
  vi.stubEnv('http_proxy', `http://user:${fromEnvironment}@${new URL(server.url).host}`);
  vi.stubEnv('no_proxy', '');
  for (const options of settings) {
    const { provider, ask, log } = rig(server.url, { ...options, initTimeoutMs: 300 });
    const failure: unknown = await provider.initialize().catch((error: unknown) => error);
    const outcome = await ask('colour', 'ann');
    shown.push(inspect(provider, { depth: 12, showHidden: true }), inspect(failure, { depth: 12 }));
    shown.push(inspect(outcome), ...log, JSON.stringify(provider));
    await provider.onClose();
  }
  vi.unstubAllEnvs();
  for (const secret of secrets) {
    expect(shown.join('\n')).not.toContain(secret);
    expect(shown.join('\n')).not.toContain(Buffer.from(`user:${secret}`).toString('base64'));
  }
});

const SHOWING: readonly (readonly [string, (head: string) => readonly [string, string]])[] = [
  ['a page', (head) => ['200 OK', headerLines(head)]],
  ['a page that is cut off within it', (head) => ['200 OK', `<p>${'-'.repeat(28)}${headerLines(head)}`]],
  ['something else in JSON', (head) => ['200 OK', JSON.stringify({ echo: headerLines(head) })]],
  ['an error page', (head) => ['418 Teapot', headerLines(head)]],
  ['an error page in HTML', (head) => ['418 Teapot', headerLines(head).replaceAll('/', '&#x2F;')]],
  ['an error page in a URL', (head) => ['418 Teapot', encodeURIComponent(headerLines(head))]],
  ['an error', (head) => ['400 Bad Request', JSON.stringify({ code: 3, message: headerLines(head) })]],
  [
    'an error with other escapes',
    (head) => ['400 Bad Request', escaped({ code: 3, message: headerLines(head) })],
  ],
];

/** Only the user's own part, because the rest would fill the few characters that are shown. */
function headerLines(head: string): string {
  return (head.match(/^(?:x-gate|authorization): .*$/gim) ?? []).join(' ');
}

/** Like some gateways write JSON. */
function escaped(body: object): string {
  return JSON.stringify(body).replaceAll('/', '\\/');
}

describe.each<[string, FliptProviderOptions]>([
  ['a token', { auth: { token: 'dummy0/secret/ofmine' } }],
  [
    'auth.headers, whatever their names',
    { auth: { headers: () => ({ 'X-Gate': 'pass dummy0/secret/ofmine' }) } },
  ],
])('%s', (_, options) => {
  it.each(SHOWING)('is not shown if the service answers with %s that repeats it', async (_, answer) => {
    await using server = await rawServer((socket, { head }) => socket.write(reply(...answer(head))));
    const { provider, ask, log } = rig(server.url, { ...options, initTimeoutMs: 100 });
    const failure: unknown = await provider.initialize().catch((error: unknown) => error);
    const { message } = await ask('colour', 'ann');
    expect(message).toContain('[cred');
    expect([message, ...log, inspect(failure)].join('\n')).not.toMatch(/dummy0|secret|ofmine/);
    await provider.onClose();
  });
});

it.each([
  ['http://flipt.example:8080', { auth: { token: 't' } }, true],
  ['http://flipt.example:8080', { headers: { Authorization: 'Bearer t' } }, true],
  ['http://flipt.example:8080', { headers: { 'x-gateway-token': 't' } }, true],
  ['http://flipt.example:8080', { headers: { 'X-Team': 't' } }, false],
  ['http://192.0.2.1', { auth: { token: 't' } }, true],
  ['http://localhost.example', { auth: { token: 't' } }, true],
  ['http://flipt.example:8080', {}, false],
  ['https://flipt.example', { auth: { token: 't' } }, false],
  ['http://localhost:8080', { auth: { token: 't' } }, false],
  ['http://flipt.localhost', { auth: { token: 't' } }, false],
  ['http://127.1.2.3', { auth: { token: 't' } }, false],
  ['http://[::1]:8080', { auth: { token: 't' } }, false],
  ['http://flipt', { auth: { token: 't' }, http: { socketPath: '/run/flipt.sock' } }, false],
  ['http://localhost:8080', { auth: { token: 't' }, http: { proxy: 'http://proxy.example' } }, true],
  ['http://localhost:8080', { auth: { token: 't' }, http: { proxy: 'https://proxy.example' } }, true],
  ['http://localhost:8080', { auth: { token: 't' }, http: { proxy: 'http://localhost:3128' } }, false],
  ['http://flipt.example', { auth: { token: 't' }, http: { proxy: 'http://localhost:3128' } }, true],
  ['https://flipt.example', { auth: { token: 't' }, http: { proxy: 'http://proxy.example' } }, false],
  ['https://flipt.example', { http: { proxy: 'http://me:dummy@proxy.example' } }, true],
  ['https://flipt.example', { http: { proxy: 'https://me:dummy@proxy.example' } }, false],
  ['https://flipt.example', { http: { proxy: 'http://me:dummy@127.0.0.1:3128' } }, false],
])('%s with %j: a warning that a credential travels unencrypted: %s', async (url, options, warned) => {
  const lines: unknown[] = [];
  const warn = (line: unknown) => lines.push(line);
  const logger = { error: warn, warn, info: () => undefined, debug: () => undefined };
  const provider = new FliptProvider({ url, ...options, logger });
  expect(lines).toEqual(warned ? [expect.stringMatching(/unencrypted to .*https:/)] : []);
  await provider.onClose();
});
