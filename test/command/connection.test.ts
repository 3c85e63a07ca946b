import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificate } from '../faults/certificate.fixture.js';
import { authority, listening } from '../faults/node-server.fixture.js';
import { FEATURES } from '../in-process/features.fixture.js';
import { localService } from '../provider/open.fixture.js';
import { forwardProxy } from '../servers/forward-proxy.fixture.js';
import { tlsFront } from '../servers/tls-front.fixture.js';
import { ran } from './ran.fixture.js';

const client = makeCertificate({ name: 'client', issuer: authority });
const named = makeCertificate({ name: 'named', hosts: ['flipt.internal'], issuer: authority });

/** A folder with the certificates as files, and what each command is asked. */
async function rigged() {
  const folder = await mkdtemp(join(tmpdir(), 'command-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = (name: string) => join(folder, name);
  await writeFile(file('ca.pem'), authority.cert);
  await writeFile(file('other.pem'), makeCertificate({ name: 'other' }).cert);
  await writeFile(file('cert.pem'), client.cert);
  await writeFile(file('key.pem'), client.key);
  await writeFile(file('no.pem'), 'text');
  const { url } = await localService({ features: FEATURES });
  const commands = [
    ['snapshot', '--out', file('flags.json')],
    ['types', '--out', file('flags.ts')],
    ['explain', '--flag', 'banner'],
  ];
  return { file, url, commands };
}

const done = { code: 0, err: '' };
const failing = (pattern: string | RegExp) => ({
  code: 1,
  err: expect.stringMatching(pattern) as string,
});

describe('snapshot, types and explain connect as the provider does', () => {
  it('with authorities of their own', async () => {
    const { file, url, commands } = await rigged();
    const front = await tlsFront(url);
    for (const command of commands) {
      const asked = [...command, '--url', front.url];
      expect(await ran([...asked, '--ca', file('ca.pem')])).toMatchObject(done);
      const count = front.requests.length;
      const advice = failing(/name its certificate authority with --ca \(UNABLE_TO\w+\)$/);
      const wrong = failing(/none of the authorities in --ca signed it \(\w+\)$/);
      expect(await ran([...asked, '--ca', file('other.pem')])).toMatchObject(wrong);
      expect(await ran(asked)).toMatchObject(advice);
      expect(front.requests).toHaveLength(count);
    }
  });

  it('with a client certificate, and the name that is expected', async () => {
    const { file, url, commands } = await rigged();
    const mutual = { ca: authority.cert, requestCert: true, rejectUnauthorized: true };
    const front = await tlsFront(url, { ...mutual, cert: named.cert, key: named.key });
    const tls = ['--ca', file('ca.pem'), '--cert', file('cert.pem'), '--key', file('key.pem')];
    for (const command of commands) {
      const asked = [...command, '--url', front.url, ...tls];
      expect(await ran([...asked, '--servername', 'flipt.internal'])).toMatchObject(done);
      expect(front.clients.at(-1)).toBe('client');
      expect(await ran(asked)).toMatchObject(failing(/names as --servername/));
      const without = [
        ...command,
        '--url',
        front.url,
        '--ca',
        file('ca.pem'),
        '--servername',
        'flipt.internal',
      ];
      expect(await ran(without)).toMatchObject(failing(/trusts: set --cert and --key \(\w+\)$/));
    }
  });

  it('through a proxy: that of --proxy, else that of the environment', async () => {
    const { file, url, commands } = await rigged();
    const front = await tlsFront(url);
    await using proxy = await forwardProxy();
    await using other = await forwardProxy();
    const withPassword = proxy.url.replace('://', '://user:dummy@');
    for (const command of commands) {
      const asked = [...command, '--url', front.url, '--ca', file('ca.pem')];
      proxy.forget();
      expect(await ran([...asked, '--proxy', proxy.url], { HTTPS_PROXY: other.url })).toMatchObject(done);
      expect(proxy.seen).toContain(`CONNECT ${new URL(front.url).host}`);
      proxy.forget();
      expect(await ran(asked, { https_proxy: withPassword })).toMatchObject(done);
      expect(new Set(proxy.credentials)).toEqual(new Set([`Basic ${btoa('user:dummy')}`]));
      proxy.forget();
      expect(await ran(asked, { https_proxy: proxy.url, no_proxy: '127.0.0.1' })).toMatchObject(done);
      expect(await ran([...command, '--url', url], { all_proxy: other.url })).toMatchObject(done);
      expect(proxy.seen).toEqual([]);
    }
    expect(other.seen.every((line) => line.startsWith(`GET ${url}/`))).toBe(true);
  });

  it('past the proxy of the environment, also a SOCKS proxy, which cannot be used', async () => {
    const { url, commands } = await rigged();
    const socks = { ALL_PROXY: 'socks5://127.0.0.1:1080' };
    for (const command of commands) {
      const asked = [...command, '--url', url];
      expect(await ran(asked, socks)).toMatchObject(
        failing(/ALL_PROXY: names a SOCKS proxy .*; set NO_PROXY=\* for no proxy, or --proxy to an http: /),
      );
      expect(await ran(asked, { ...socks, NO_PROXY: '*' })).toMatchObject(done);
      expect(await ran([...asked, '--no-proxy'], socks)).toMatchObject(done);
      expect(await ran([...asked, '--no-proxy'], { HTTP_PROXY: 'http://127.0.0.1:9' })).toMatchObject(done);
    }
  });

  it('and say what is not there: Flipt, the proxy or the socket', async () => {
    const { file, url, commands } = await rigged();
    const proxied =
      'is the proxy running there? Set its address with --proxy, or a variable such as HTTPS_PROXY';
    for (const command of commands) {
      const asked = [...command, '--url', 'http://127.0.0.1:9'];
      expect(await ran(asked)).toMatchObject(failing(/is Flipt running there\? Set its address with --url$/));
      const ofProxy = { code: 1, err: expect.stringContaining(proxied) as string };
      for (const service of ['http://flipt.test', 'https://flipt.test']) {
        const through = [...command, '--url', service];
        expect(await ran([...through, '--proxy', 'http://127.0.0.1:9'])).toMatchObject(ofProxy);
        expect(
          await ran(through, { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: '127.0.0.1:9' }),
        ).toMatchObject(ofProxy);
      }
      const socket = [...command, '--url', url, '--socket', file('none.sock')];
      expect(await ran(socket)).toMatchObject(
        failing(/; --socket: there is no such file; is Flipt running there\? Set its socket with --socket$/),
      );
    }
  });

  it('and say how a proxy gets its user and its password', async () => {
    const { url, commands } = await rigged();
    const refusing = createServer((_, response) => response.writeHead(407).end());
    refusing.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n'));
    await using proxy = await listening(refusing, { host: '127.0.0.1', port: 0 });
    const host = `127.0.0.1:${proxy.port}`;
    for (const command of commands) {
      for (const [service, name] of [
        [url, 'HTTP_PROXY'],
        ['https://flipt.test', 'HTTPS_PROXY'],
      ] as const) {
        const asked = [...command, '--url', service];
        const advice = `407; the proxy asks for a user and a password: leave out --proxy, and set ${name}=http://USER:PASSWORD@${host}`;
        expect(await ran([...asked, '--proxy', `http://${host}`])).toMatchObject(failing(advice));
        expect(await ran(asked, { [name]: `http://me:dummy@${host}` })).toMatchObject(
          failing('407; the proxy refused the user and the password in its address'),
        );
      }
    }
  });

  it('and name the argument of a wrong header', async () => {
    const { url, commands } = await rigged();
    for (const command of commands) {
      const asked = [...command, '--url', url, '--header', 'Connection: close'];
      expect(await ran(asked)).toMatchObject(
        failing(/^[^:]+: \w+: --header Connection: expected a header that/),
      );
    }
  });

  it('with headers, and over a Unix socket whatever the environment says of proxies', async () => {
    const { file, url, commands } = await rigged();
    const front = await tlsFront(url, {}, { path: file('flipt.sock') });
    const how = ['--url', 'https://localhost', '--socket', file('flipt.sock'), '--ca', file('ca.pem')];
    for (const command of commands) {
      const asked = [...command, ...how, '--header', 'X-Team: checkout', '--header', 'X-Empty:'];
      expect(await ran(asked, { HTTPS_PROXY: 'http://127.0.0.1:9' })).toMatchObject(done);
      expect(front.requests.at(-1)?.headers).toMatchObject({ 'x-team': 'checkout', 'x-empty': '' });
    }
  });

  it('over a Unix socket without --url, also explain and types', async () => {
    const { file, url, commands } = await rigged();
    const front = createServer((incoming, outgoing) => {
      const answered = (answer: IncomingMessage) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      };
      incoming.pipe(request(url + (incoming.url ?? ''), answered));
    });
    const server = await listening(front, { path: file('plain.sock') });
    onTestFinished(() => server[Symbol.asyncDispose]());
    for (const command of commands) {
      expect(await ran([...command, '--socket', file('plain.sock')])).toMatchObject(done);
    }
  });

  it.each([
    [['--ca', 'no.pem'], /--ca: \S+no\.pem: expected PEM \(-----BEGIN …\)/],
    [['--cert', 'missing.pem'], /--cert: \S+missing\.pem: cannot be read: ENOENT/],
    [['--ca', 'key.pem'], /--ca: expected a certificate in PEM, and no private key, got/],
    [['--cert', 'cert.pem'], /--key: expected the private key of --cert, got undefined/],
    [['--key', '.'], /--key: \S+: cannot be read: EISDIR/],
  ])('but not with the file of %j', async (given, message) => {
    const { file, commands } = await rigged();
    const [option = '', name = ''] = given;
    for (const command of commands) {
      const asked = [...command, '--url', 'https://flipt.test', option, file(name)];
      expect(await ran(asked)).toMatchObject(failing(message));
    }
  });

  it.each([
    [
      ['--proxy', 'proxy:3128'],
      '--proxy: expected an http: or https: address; did you mean "http://proxy:3128"?',
    ],
    [['--proxy', 'none'], '--proxy: expected an http: or https: address; for no proxy, use --no-proxy'],
    [['--no-proxy', '--proxy', 'http://p'], 'expected either --proxy or --no-proxy'],
    [['--servername', ''], "--servername: expected a host name, got ''"],
    [['--socket', ''], "--socket: expected the path of a Unix domain socket, got ''"],
    [['--socket', '/s', '--proxy', 'http://p'], 'expected either --proxy or --socket'],
  ])('%j is wrong, and the message names the argument', async (given, message) => {
    const { commands } = await rigged();
    for (const command of commands) {
      const { code, err } = await ran([...command, '--url', 'https://flipt.test', ...given]);
      expect([code, err]).toEqual([1, expect.stringContaining(message) as string]);
    }
  });
});
