import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { statusFailure } from '../../src/http/failures.js';
import { openTransport } from '../../src/http/exchange.js';
import type { HttpOptions } from '../../src/options/http-options.js';
import { clientSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { listening } from '../faults/node-server.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { REQUEST } from './outcomes.fixture.js';
import { serving, transportTo } from './transport.fixture.js';

const UNSET = ' (neither the option url nor FLIPT_URL is set)';
const PROXY = ' through the proxy http://proxy.test:3128';

it.each<[object, Record<string, string>, string]>([
  [{}, {}, UNSET],
  [{ url: undefined }, {}, UNSET],
  [{ url: undefined }, { FLIPT_URL: '' }, UNSET],
  [{ url: 'http://localhost:8080' }, {}, ''],
  [{}, { FLIPT_URL: 'http://flipt.test' }, ''],
  [{ http: { socketPath: '/flipt.sock' } }, {}, ''],
  [{ url: 'http://flipt.test', http: { proxy: 'http://me:dummy@proxy.test:3128' } }, {}, PROXY],
  [{ http: { proxy: 'http://proxy.test:3128' } }, {}, PROXY + UNSET],
  [{ url: 'http://flipt.test', http: { proxy: 'env' } }, { http_proxy: 'http://proxy.test:3128' }, PROXY],
  [
    { url: 'http://flipt.test', http: { proxy: 'env' } },
    { http_proxy: 'http://proxy.test:3128', no_proxy: 'flipt.test' },
    '',
  ],
])(
  'a failure with the options %j and the environment %j says what it may be due to',
  async (options, env, words) => {
    // What is sent is too broken to leave this process.
    const settings = clientSettings(options, env);
    const transport = openTransport(settings, runtimeOf(manualClock()));
    onTestFinished(() => transport.close());
    const outcome = await transport.send({ ...REQUEST, headers: { 'x broken': '' } });
    expect(outcome).toMatchObject({
      message: expect.stringContaining(`the request to Flipt at ${settings.url}${words} failed: `) as string,
    });
  },
);

it('a proxy that is gone is named, and so is one that refuses', async () => {
  const gone = await serving(() => undefined);
  await gone.close();
  const refusing = await serving((_request, response) => void response.writeHead(502).end());
  const through = (proxy: string) => {
    const transport = transportTo('http://flipt.test', { http: { proxy, timeoutMs: 5_000 } });
    return transport.send(REQUEST);
  };
  expect(await through(gone.url)).toMatchObject({
    kind: 'connection',
    message: expect.stringMatching(
      `^the request to Flipt at http://flipt.test through the proxy ${gone.url} failed: .*ECONNREFUSED`,
    ) as string,
  });
  const reply = await through(refusing.url);
  if (reply.kind !== 'reply') throw new Error(reply.kind);
  expect(statusFailure('http://flipt.test', reply).message).toBe(
    `Flipt at http://flipt.test through the proxy ${refusing.url} answered 502 with an empty body`,
  );
});

describe('a proxy of the environment that is not used', () => {
  const ADVICE = "; HTTP_PROXY is set, but not used: set http.proxy to 'env' if Flipt is behind that proxy";
  const PROXIES = { HTTP_PROXY: 'http://127.0.0.1:9' };
  /** Leads to this machine, but is no address of it. */
  const HOST = '0.0.0.0';

  /** What a request to a port gives, and another one after that. */
  function asking(url: string, http: HttpOptions, env: Record<string, string>) {
    const transport = openTransport(clientSettings({ url, http }, env), runtimeOf(manualClock()));
    onTestFinished(() => transport.close());
    return async () => {
      const outcome = await transport.send(REQUEST);
      return outcome.kind === 'reply' ? '' : outcome.message;
    };
  }

  it.each<[string, string, HttpOptions, Record<string, string>, boolean]>([
    ['is named', HOST, {}, PROXIES, true],
    ['is not, if it is used', HOST, { proxy: 'env' }, PROXIES, false],
    ['is not, if none is wanted', HOST, { proxy: false }, PROXIES, false],
    ['is not, if NO_PROXY has the service', HOST, {}, { ...PROXIES, NO_PROXY: HOST }, false],
    ['is not for this machine', '127.0.0.1', {}, PROXIES, false],
    ['is not, if there is none', HOST, {}, {}, false],
  ])('%s', async (_, host, http, env, isNamed) => {
    const message = await asking(`http://${host}:9`, http, env)();
    expect(message).toMatch(/ECONNREFUSED/);
    expect(message.endsWith(ADVICE)).toBe(isNamed);
  });

  it.each<[HttpOptions, Record<string, string>, RegExp]>([
    [
      {},
      { ALL_PROXY: 'http://127.0.0.1:9' },
      /; ALL_PROXY is set, but not used: set http\.proxy to 'env' if/,
    ],
    [{ proxy: 'env' }, { ...PROXIES, NO_PROXY: '*' }, /; NO_PROXY excludes this host from HTTP_PROXY$/],
    [
      { proxy: 'env' },
      { all_proxy: 'http://127.0.0.1:9', no_proxy: HOST },
      /; no_proxy excludes this host from all_proxy$/,
    ],
    [{ proxy: false }, { ...PROXIES, NO_PROXY: '*' }, /ECONNREFUSED [\d.:]+$/],
  ])('the options %j in the environment %j: %s', async (http, env, words) => {
    expect(await asking(`http://${HOST}:9`, http, env)()).toMatch(words);
  });

  it('is no longer named once something has answered', async () => {
    const server = await listening(
      createServer((_, response) => response.end('{}')),
      { host: '127.0.0.1', port: 0 },
    );
    const ask = asking(`http://${HOST}:${server.port}`, {}, PROXIES);
    expect(await ask()).toBe('');
    await server[Symbol.asyncDispose]();
    const message = await ask();
    expect(message).toMatch(/^the request to Flipt at /);
    expect(message).not.toContain(ADVICE);
  });
});

it.each<[string, (file: string) => unknown, RegExp]>([
  ['does not exist', () => undefined, /ENOENT .*; http\.socketPath: there is no such file$/],
  [
    'is no socket, so that nothing listens',
    (file) => writeFile(file, ''),
    /ECONNREFUSED .*; http\.socketPath: nothing listens there$/,
  ],
])('a socket that %s is named', async (_, make, words) => {
  const folder = await mkdtemp(join(tmpdir(), 'socket-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const socketPath = join(folder, 'flipt.sock');
  await make(socketPath);
  const outcome = await transportTo('http://localhost', { http: { socketPath } }).send(REQUEST);
  expect(outcome).toMatchObject({ kind: 'connection', message: expect.stringMatching(words) as string });
});
