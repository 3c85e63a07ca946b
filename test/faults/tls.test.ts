import type { IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { REQUEST } from '../http/outcomes.fixture.js';
import { transportTo } from '../http/transport.fixture.js';
import { makeCertificate } from './certificate.fixture.js';
import {
  answering,
  askedOnce,
  authority,
  listening,
  PATIENT,
  server127,
  tlsService,
} from './node-server.fixture.js';
import { MARGIN_MS, rig, until } from './rig.fixture.js';

const DAY_MS = 86_400_000;
const client = makeCertificate({ name: 'client', issuer: authority });

it('accepts a certificate of a private authority', async () => {
  await using service = await tlsService();
  const url = `https://127.0.0.1:${service.port}`;
  expect((await askedOnce(url, { http: { tls: { ca: authority.cert } } })).kind).toBe('own');
  expect((await askedOnce(url, { http: { tls: { ca: [Buffer.from(authority.cert)] } } })).kind).toBe('own');
  const { kind, message } = await askedOnce(url);
  expect(kind).toBe('default');
  expect(message).toMatch(/^the request to Flipt at \S+ failed: .*certificate/);
});

it('expects servername in the certificate instead of the url’s host', async () => {
  const named = makeCertificate({ name: 'named', hosts: ['flipt.internal'], issuer: authority });
  await using service = await tlsService({ cert: named.cert, key: named.key });
  const url = `https://127.0.0.1:${service.port}`;
  const tls = { ca: authority.cert };
  expect((await askedOnce(url, { http: { tls: { ...tls, servername: 'flipt.internal' } } })).kind).toBe(
    'own',
  );
  expect((await askedOnce(url, { http: { tls } })).message).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID|altnames/);
});

it('refuses an expired certificate, and accepts it after it has been renewed', async () => {
  const expired = makeCertificate({
    name: 'expired',
    hosts: ['127.0.0.1'],
    issuer: authority,
    validFrom: new Date(Date.now() - 2 * DAY_MS),
    validTo: new Date(Date.now() - DAY_MS),
  });
  const requests: IncomingMessage[] = [];
  const server = createTlsServer({ cert: expired.cert, key: expired.key }, answering(requests));
  server.on('tlsClientError', () => undefined);
  await using service = await listening(server, { host: '127.0.0.1', port: 0 }, requests);
  const options = { ...PATIENT, http: { retries: 0, tls: { ca: authority.cert } } };
  const { provider, ask, events } = rig(`https://127.0.0.1:${service.port}`, options);
  for (let round = 0; round < 3; round++) {
    expect((await ask('colour', 'ann')).message).toMatch(/certificate has expired|no requests are sent/);
  }
  expect(requests).toHaveLength(0);
  expect(events).toEqual(['error']);
  server.setSecureContext({ cert: server127.cert, key: server127.key });
  await until(() => events.at(-1) === 'ready', MARGIN_MS);
  expect((await ask('colour', 'ann')).kind).toBe('own');
  await provider.onClose();
});

it('sends a client certificate', async () => {
  await using service = await tlsService({ ca: authority.cert, requestCert: true, rejectUnauthorized: true });
  const url = `https://127.0.0.1:${service.port}`;
  const tls = { ca: authority.cert, cert: client.cert, key: client.key };
  expect((await askedOnce(url, { http: { tls } })).kind).toBe('own');
  const socket = service.requests[0]?.socket as TLSSocket | undefined;
  expect(socket?.authorized).toBe(true);
  expect((await askedOnce(url, { http: { tls: { ca: authority.cert } } })).kind).toBe('default');
  expect(service.requests).toHaveLength(1);
});

it('a function as http.tls is asked for each new connection, so that a client certificate can rotate', async () => {
  const clients = ['first', 'second'].map((name) => {
    const { cert, key } = makeCertificate({ name, issuer: authority });
    return { cert, key };
  });
  const names: unknown[] = [];
  const wanted = { cert: server127.cert, key: server127.key, ca: authority.cert, requestCert: true };
  const server = createTlsServer(wanted, ({ socket }, response) => {
    names.push((socket as TLSSocket).getPeerCertificate().subject.CN);
    if (names.length % 2 === 0) response.setHeader('connection', 'close');
    response.end('{}');
  });
  await using service = await listening(server, { host: '127.0.0.1', port: 0 });
  let asked = 0;
  const tls = () => ({ ca: authority.cert, ...clients[asked++ % 2] });
  const { send } = transportTo(`https://127.0.0.1:${service.port}`, { http: { tls } });
  for (let n = 0; n < 4; n++) expect(await send(REQUEST)).toMatchObject({ status: 200 });
  expect(names).toEqual(['first', 'first', 'second', 'second']);
});

it.each<[string, () => object, string, RegExp]>([
  [
    'throws',
    () => {
      throw Object.assign(new Error('a-secret-passphrase'), { code: 'ENOENT' });
    },
    'credentials',
    /^no credentials for Flipt: http\.tls threw Error \(ENOENT\)$/,
  ],
  [
    'returns a promise',
    () => Promise.resolve({}),
    'connection',
    /failed: http\.tls returned a promise, no certificates$/,
  ],
])('a function as http.tls that %s fails the request', async (_, tls, kind, words) => {
  const { send } = transportTo('https://127.0.0.1:1', { http: { tls } });
  expect(await send(REQUEST)).toMatchObject({
    kind,
    message: expect.stringMatching(words) as string,
  });
});

it.each<[string, object, string]>([
  [
    'rejectUnauthorized',
    { rejectUnauthorized: false },
    'http.tls.rejectUnauthorized: unknown option, expected one of ca, cert, key, servername',
  ],
  ['a path', { ca: '/etc/flipt/ca.pem' }, 'http.tls.ca: expected PEM as text'],
  ['a certificate without its key', { cert: client.cert }, 'http.tls: expected cert and key together'],
])('a function as http.tls that returns %s opens no connection', async (_, returned, words) => {
  await using service = await tlsService();
  const tls = () => returned;
  const { send } = transportTo(`https://127.0.0.1:${service.port}`, { http: { tls } });
  expect(await send(REQUEST)).toMatchObject({ message: expect.stringContaining(words) as string });
  expect(service.requests).toEqual([]);
});
