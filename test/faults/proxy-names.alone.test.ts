import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate, type Identity } from './certificate.fixture.js';
import { listening } from './node-server.fixture.js';

/*
 * Proxy and service have different names, and an impostor stands where the proxy should be: its certificate is good, but
 * names the service. It must learn neither the proxy's password nor Flipt's token.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Nobody can resolve this name but the proxies here, which lead all hosts to the service. */
const NAME = 'flipt.test';
const ADDRESS = '127.9.9.9';

const trusted = makeCertificate({ name: 'an authority that Node trusts' });
const given = makeCertificate({ name: 'the authority of http.tls.ca' });
const services = {
  trusted: makeCertificate({ name: 'service', hosts: [NAME, ADDRESS], issuer: trusted }),
  given: makeCertificate({ name: 'service', hosts: [NAME, ADDRESS], issuer: given }),
};
const proxies = {
  right: makeCertificate({ name: 'proxy', hosts: ['localhost', '127.0.0.1'], issuer: trusted }),
  impostor: services.trusted,
};

interface Cell {
  readonly service: 'http' | 'https';
  readonly host: string;
  readonly proxy: 'http' | 'https';
  readonly proxyHost: string;
  readonly from: 'option' | 'variables';
  readonly ca: 'given' | 'trusted';
  /** A header of the user's. Node's agent would take the name in it for the one that the certificate needs. */
  readonly sends?: string;
  readonly as: 'right' | 'impostor';
}

const CELLS = (['http', 'https'] as const).flatMap((service) =>
  [NAME, ADDRESS].flatMap((host) =>
    (['http', 'https'] as const).flatMap((proxy) =>
      ['localhost', '127.0.0.1'].flatMap((proxyHost) =>
        (['option', 'variables'] as const).flatMap((from) =>
          (['given', 'trusted'] as const).flatMap((ca) =>
            [undefined, NAME].flatMap((sends) =>
              // Without TLS, nothing tells an impostor from the proxy.
              (proxy === 'https' ? (['right', 'impostor'] as const) : (['right'] as const)).map(
                (as): Cell => ({ service, host, proxy, proxyHost, from, ca, ...(sends && { sends }), as }),
              ),
            ),
          ),
        ),
      ),
    ),
  ),
);

/** What one side got to read, by the number of the cell. */
type Read = Map<number, string[]>;

function noted(read: Read, cell: number, text: string) {
  read.set(cell, [...(read.get(cell) ?? []), text]);
}

/** The number of a cell is the token that it sends. */
async function service(identity?: Identity) {
  const read: Read = new Map();
  const listener: RequestListener = (request, response) => {
    noted(read, Number(request.headers.authorization?.slice('Bearer cell-'.length)), 'token');
    response.end('{"segments":[],"nextPageToken":"","totalCount":0}');
  };
  const server = identity === undefined ? createServer(listener) : createTlsServer(identity, listener);
  const { port, [Symbol.asyncDispose]: end } = await listening(server, { host: '127.0.0.1', port: 0 });
  return { read, port, end };
}

/** The number of a cell is the user of the proxy. */
async function proxy(identity?: Identity) {
  const read: Read = new Map();
  const open = new Set<Duplex>();
  const note = ({ headers }: IncomingMessage) => {
    const [, cell, password] =
      /^(\d+):(.*)$/.exec(
        Buffer.from(headers['proxy-authorization']?.slice('Basic '.length) ?? '', 'base64').toString(),
      ) ?? [];
    noted(read, Number(cell), password ?? '');
  };
  const tunnel = (port: number, near: Duplex, began: (far: Duplex) => void) => {
    const far = connect(port, '127.0.0.1', () => {
      began(far);
      far.pipe(near);
      near.pipe(far);
    });
    for (const end of [near, far]) {
      open.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
  };
  const listener: RequestListener = (request) => {
    note(request);
    const { port, pathname, search } = new URL(request.url ?? '');
    tunnel(Number(port), request.socket, (far) => {
      const { authorization = '', host = '' } = request.headers;
      const head = [`host: ${host}`, `authorization: ${authorization}`, 'connection: close'].join('\r\n');
      far.write(`GET ${pathname}${search} HTTP/1.1\r\n${head}\r\n\r\n`);
    });
  };
  const server = identity === undefined ? createServer(listener) : createTlsServer(identity, listener);
  server.on('tlsClientError', () => undefined);
  server.on('connect', (request: IncomingMessage, near: Duplex) => {
    note(request);
    tunnel(Number(request.url?.split(':').at(-1)), near, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const end = async () => {
    for (const socket of open) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { read, port, end };
}

/** Node reads the authorities that it trusts when it starts. One process asks on all ways, one after the other. */
const SCRIPT = `
  import { FliptClient } from 'openfeature-flipt-provider/client';
  const answers = [];
  for (const { env, ...options } of JSON.parse(process.argv[1])) {
    Object.assign(process.env, env);
    const client = new FliptClient({ ...options, logger: { error() {}, warn() {}, info() {}, debug() {} } });
    answers.push(await client.segments.list('default').then(() => 'ok', (error) => error.message));
    await client.close();
    for (const name of Object.keys(env)) delete process.env[name];
  }
  console.log(JSON.stringify(answers));`;

let answers: readonly string[] = [];
let bystanders: Record<'right' | 'impostor' | 'plain' | 'services', Read>;

beforeAll(async () => {
  const right = { http: await proxy(), https: await proxy(proxies.right) };
  const impostor = await proxy(proxies.impostor);
  const plain = await service();
  const secure = { given: await service(services.given), trusted: await service(services.trusted) };
  const optionsOf = (cell: Cell, number: number) => {
    const there = cell.service === 'http' ? plain : secure[cell.ca];
    const { port } = cell.as === 'impostor' ? impostor : right[cell.proxy];
    const address = `${cell.proxy}://${number}:dummy@${cell.proxyHost}:${port}`;
    const variable = cell.service === 'http' ? 'HTTP_PROXY' : 'HTTPS_PROXY';
    return {
      url: `${cell.service}://${cell.host}:${there.port}`,
      auth: { token: `cell-${number}` },
      headers: cell.sends === undefined ? {} : { host: `${cell.sends}:${there.port}` },
      http: {
        timeoutMs: 10_000,
        retries: 0,
        proxy: cell.from === 'option' ? address : 'env',
        ...(cell.ca === 'given' && { tls: { ca: given.cert } }),
      },
      env: cell.from === 'option' ? {} : { [variable]: address },
    };
  };
  const folder = await mkdtemp(join(tmpdir(), 'flipt-test-'));
  const authorities = join(folder, 'ca.pem');
  await writeFile(authorities, trusted.cert);
  const args = ['--input-type=module', '--eval', SCRIPT, '--', JSON.stringify(CELLS.map(optionsOf))];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authorities, NO_PROXY: '' },
    timeout: 50_000,
  });
  answers = JSON.parse(stdout) as string[];
  bystanders = {
    right: right.https.read,
    plain: right.http.read,
    impostor: impostor.read,
    services: new Map([...plain.read, ...secure.given.read, ...secure.trusted.read]),
  };
  const all = [right.http, right.https, impostor, plain, secure.given, secure.trusted];
  return async () => {
    await Promise.all([...all.map(({ end }) => end()), rm(folder, { recursive: true })]);
  };
});

describe.each([...CELLS.entries()])('%i: %j', (number, { proxy: kind, as }) => {
  it(
    as === 'right' ? 'the proxy gets its password, and Flipt its token' : 'the impostor gets nothing',
    () => {
      if (as === 'impostor') {
        expect(answers[number]).toMatch(
          /the certificate is the proxy's: give one of its names in http\.proxy/,
        );
        expect(bystanders.impostor.get(number)).toBeUndefined();
        expect(bystanders.services.get(number)).toBeUndefined();
        return;
      }
      expect(answers[number]).toBe('ok');
      expect(bystanders[kind === 'http' ? 'plain' : 'right'].get(number)).toEqual(['dummy']);
      expect(bystanders.services.get(number)).toEqual(['token']);
    },
  );
});
