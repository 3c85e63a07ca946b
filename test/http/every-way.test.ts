import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTransport } from '../../src/http/exchange.js';
import type { HttpOptions, TlsOptions } from '../../src/options/http-options.js';
import { clientSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { makeCertificate } from '../faults/certificate.fixture.js';
import { listening } from '../faults/node-server.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { forwardProxy, type ForwardProxy } from '../servers/forward-proxy.fixture.js';
import { signal } from '../signal.fixture.js';
import { REQUEST } from './outcomes.fixture.js';

/*
 * Every option of the connection on every way to the service, over real TLS: an option that one way forgets is a row that
 * fails. A new option does not compile before it has a cell.
 */

const authority = makeCertificate({ name: 'authority' });
const other = makeCertificate({ name: 'another authority' });
const service = makeCertificate({ name: 'service', hosts: ['127.0.0.1', 'localhost'], issuer: authority });
const named = makeCertificate({ name: 'named', hosts: ['flipt.internal'], issuer: authority });
const client = makeCertificate({ name: 'client', issuer: authority });

const TOKEN = 'token-of-this-test';

interface Rig {
  readonly url: string;
  readonly port: number;
  readonly socketPath: string;
  readonly proxy: ForwardProxy;
}

interface Way {
  readonly http: (rig: Rig) => HttpOptions;
  readonly env?: (rig: Rig) => Record<string, string>;
  /** Whether the proxy sees a tunnel. */
  readonly isProxied?: true;
}

/** The ways whose connections are the package's own. */
const OWN: Readonly<Record<string, Way>> = {
  direct: { http: () => ({}) },
  'direct, although the environment names a proxy': {
    http: () => ({}),
    env: ({ proxy }) => ({ HTTPS_PROXY: proxy.url }),
  },
  'a proxy by its address': { http: ({ proxy }) => ({ proxy: proxy.url }), isProxied: true },
  "proxy: 'env', which names one": {
    http: () => ({ proxy: 'env' }),
    env: ({ proxy }) => ({ HTTPS_PROXY: proxy.url }),
    isProxied: true,
  },
  "proxy: 'env', which names none": { http: () => ({ proxy: 'env' }) },
  "proxy: 'env', whose NO_PROXY has the service": {
    http: () => ({ proxy: 'env' }),
    env: ({ proxy }) => ({ HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' }),
  },
  "proxy: 'env', whose NO_PROXY is *": {
    http: () => ({ proxy: 'env' }),
    env: ({ proxy }) => ({ https_proxy: proxy.url, no_proxy: '*' }),
  },
  'a Unix socket': { http: ({ socketPath }) => ({ socketPath }) },
};

const undici = (tls: TlsOptions = { ca: authority.cert }) =>
  new Agent({ connect: { ca: authority.cert, ...(tls as object) } });

/** The ways whose connections are made by something else, which then has the certificates. */
const OTHERS: Readonly<Record<string, Way>> = {
  "a dispatcher of the user's": { http: () => ({ dispatcher: undici() }) },
};

const ok: RequestListener = (_, response) => {
  response.end('{}');
};

/** A service with TLS, a proxy before it, and a transport on the given way. */
async function rigged(way: Way, options: { listener?: RequestListener; server?: object } = {}) {
  const { listener = ok, server = {} } = options;
  const requests: IncomingMessage[] = [];
  const identity = { cert: service.cert, key: service.key };
  const onRequest: RequestListener = (request, response) => {
    requests.push(request);
    listener(request, response);
  };
  const open = async (where: object) => {
    const tls = createServer({ ...identity, ...server }, onRequest);
    tls.on('tlsClientError', () => undefined);
    const opened = await listening(tls, where);
    onTestFinished(() => opened[Symbol.asyncDispose]());
    return opened;
  };
  const folder = await mkdtemp(join(tmpdir(), 'ways-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const socketPath = join(folder, 'flipt.sock');
  const { port } = await open({ host: '127.0.0.1', port: 0 });
  await open({ path: socketPath });
  const proxy = await forwardProxy();
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const rig: Rig = { port, url: `https://127.0.0.1:${port}`, socketPath, proxy };
  const transportWith = (http: HttpOptions, more: object = {}) => {
    const clock = manualClock();
    const given = { url: rig.url, auth: { token: TOKEN }, ...more, http: { ...way.http(rig), ...http } };
    const settings = clientSettings(given, way.env?.(rig));
    const transport = openTransport(settings, runtimeOf(clock));
    onTestFinished(() => transport.close());
    const credentials = { authorization: `Bearer ${TOKEN}` };
    return { clock, send: () => transport.send({ ...REQUEST, credentials }) };
  };
  return { requests, proxy, transportWith };
}

type Cell = (way: Way) => Promise<void>;

/** Each option of `http.tls`, on a way of our own. */
const TLS_CELLS: Readonly<Record<keyof TlsOptions, Cell>> = {
  async ca(way) {
    const { requests, transportWith } = await rigged(way);
    expect(await transportWith({ tls: { ca: authority.cert } }).send()).toMatchObject({ status: 200 });
    expect(requests).toHaveLength(1);
    // Nothing reaches a service whose certificate another authority has signed: the token least of all.
    for (const tls of [{ ca: other.cert }, {}]) {
      expect(await transportWith({ tls }).send()).toMatchObject({
        kind: 'connection',
        cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      });
    }
    expect(requests).toHaveLength(1);
  },
  cert: clientCertificate,
  key: clientCertificate,
  async servername(way) {
    const { requests, transportWith } = await rigged(way, { server: { cert: named.cert, key: named.key } });
    const ca = authority.cert;
    const tls = { ca, servername: 'flipt.internal' };
    expect(await transportWith({ tls }).send()).toMatchObject({ status: 200 });
    expect(requests[0]?.socket).toHaveProperty('servername', 'flipt.internal');
    for (const wrong of [{ ca }, { ca, servername: 'flipt.other' }]) {
      expect(await transportWith({ tls: wrong }).send()).toMatchObject({
        kind: 'connection',
        cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      });
    }
    expect(requests).toHaveLength(1);
  },
};

async function clientCertificate(way: Way): Promise<void> {
  const server = { ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  const { requests, transportWith } = await rigged(way, { server });
  const { cert, key } = client;
  expect(await transportWith({ tls: { ca: authority.cert, cert, key } }).send()).toMatchObject({
    status: 200,
  });
  expect((requests[0]?.socket as TLSSocket | undefined)?.getPeerCertificate().subject.CN).toBe('client');
  expect(await transportWith({ tls: { ca: authority.cert } }).send()).toMatchObject({ kind: 'connection' });
  expect(requests).toHaveLength(1);
}

/** What holds for a request, on every way. */
const CELLS: Readonly<Record<'timeoutMs' | 'the limit of a body' | 'headers' | 'redaction', Cell>> = {
  async timeoutMs(way) {
    const arrived = signal();
    const { transportWith } = await rigged(way, { listener: arrived.give });
    const { clock, send } = transportWith(trusting(way, { timeoutMs: 700 }));
    const sent = send();
    await arrived.given;
    await clock.advance(way.isProxied || Object.values(OTHERS).includes(way) ? 3_700 : 700);
    expect(await sent).toMatchObject({ kind: 'timeout' });
  },
  async 'the limit of a body'(way) {
    const body = gzipSync(Buffer.alloc(17 * 1024 * 1024));
    const { transportWith } = await rigged(way, {
      listener: (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
      },
    });
    expect(await transportWith(trusting(way)).send()).toMatchObject({ kind: 'unreadable' });
  },
  async headers(way) {
    const { requests, transportWith } = await rigged(way);
    const { send } = transportWith(trusting(way), { headers: { 'X-Team': 'checkout' } });
    expect(await send()).toMatchObject({ status: 200 });
    expect(requests[0]?.headers).toMatchObject({
      'x-team': 'checkout',
      authorization: `Bearer ${TOKEN}`,
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
    });
    expect(requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  },
  async redaction(way) {
    const { transportWith } = await rigged(way, {
      listener: ({ headers }, response) => response.writeHead(418).end(JSON.stringify(headers)),
    });
    const reply = await transportWith(trusting(way)).send();
    expect(reply).toMatchObject({ status: 418, text: expect.stringContaining('[credential]') as string });
    expect(JSON.stringify(reply)).not.toContain(TOKEN);
  },
};

/** The other ways have their certificates by themselves. */
const trusting = (way: Way, http: HttpOptions = {}): HttpOptions =>
  Object.values(OTHERS).includes(way) ? http : { ...http, tls: { ca: authority.cert } };

/** The options of `http` that choose the way are the rows here; `retries` is above all ways. */
const WHERE: Readonly<Record<keyof HttpOptions, string>> = {
  timeoutMs: 'CELLS',
  tls: 'TLS_CELLS',
  retries: 'test/http/retry.test.ts',
  dispatcher: 'OTHERS',
  proxy: 'OWN',
  socketPath: 'OWN',
};

it('every option of http has its place in this table', () => {
  expect(Object.values(WHERE)).not.toContain('');
});

describe.each(Object.entries(OWN))('on the way %s', (_, way) => {
  it.each(Object.entries({ ...TLS_CELLS, ...CELLS }))('%s holds', (_name, cell) => cell(way));

  it('a Host in the headers names the certificate that is expected', async () => {
    const { requests, transportWith } = await rigged(way, { server: { cert: named.cert, key: named.key } });
    const { send } = transportWith(trusting(way), { headers: { Host: 'flipt.internal' } });
    expect(await send()).toMatchObject({ status: 200 });
    expect(requests[0]?.headers.host).toBe('flipt.internal');
  });

  it('connections are kept for later requests, and closed at the end', async () => {
    const { requests, proxy, transportWith } = await rigged(way);
    const { send } = transportWith(trusting(way));
    for (let n = 0; n < 3; n++) expect(await send()).toMatchObject({ status: 200 });
    // Undici may need a turn to take a connection back.
    const most = way.isProxied ? 2 : 1;
    expect(new Set(requests.map(({ socket }) => socket)).size).toBeLessThanOrEqual(most);
    expect(proxy.seen.length).toBeLessThanOrEqual(way.isProxied ? 2 : 0);
  });
});

describe.each(Object.entries(OTHERS))('on the way %s', (_, way) => {
  it.each(Object.entries(CELLS))('%s holds', (_name, cell) => cell(way));

  it.each(Object.keys(TLS_CELLS))('tls.%s is refused, because it would have no effect', async (name) => {
    const { transportWith } = await rigged(way);
    const { cert, key } = authority;
    const given: TlsOptions = { ca: cert, cert, key, servername: 'flipt.internal' };
    // A certificate and its key are refused without each other.
    const names = name === 'cert' || name === 'key' ? ['cert', 'key'] : [name];
    const tls = Object.fromEntries(names.map((one) => [one, Reflect.get(given, one)]));
    expect(() => transportWith({ tls })).toThrow(/either dispatcher, or proxy, tls and socketPath/);
  });
});
