import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLocalService } from '../../src/local/index.js';
import { temporaryFolder } from '../provider/open.fixture.js';
import { FEATURES } from '../provider/features.fixture.js';
import { forwardProxy } from '../servers/forward-proxy.fixture.js';
import { tlsFront } from '../servers/tls-front.fixture.js';
import { makeCertificate } from './certificate.fixture.js';
import { authority, listening } from './node-server.fixture.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ofProxy = makeCertificate({ name: "the proxy's authority" });
const proxyIdentity = makeCertificate({ name: 'proxy', hosts: ['127.0.0.1', '::1'], issuer: ofProxy });

/** An embedded service, and the same behind TLS. */
async function services() {
  const service = await startLocalService({ features: FEATURES, semantics: 'v2' });
  onTestFinished(() => service.close());
  return { 'http:': service.url, 'https:': (await tlsFront(service.url)).url };
}

/** Runs a script as a user would, with the built package. It must end by itself. */
async function run(
  options: object,
  work: string,
  env: Record<string, string> = {},
  start = 'await provider.initialize();',
): Promise<string> {
  const script = `
    import { FliptProvider } from 'openfeature-flipt-provider';
    const provider = new FliptProvider(${JSON.stringify(options)});
    ${start}
    console.log((await provider.resolveStringEvaluation('colour', 'the default', { targetingKey: 'ann' })).value);
    ${work}`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    timeout: 30_000,
  });
  return stdout;
}

const PATIENT = { deadlineMs: 10_000, initTimeoutMs: 10_000 };

const tls = { ca: authority.cert };

it.each([
  ['http:', '127.0.0.1'],
  ['https:', '::1'],
] as const)(
  'to an %s service, an https: proxy at %s is used whose certificate Node trusts, with the user and the password of its address',
  async (protocol, host) => {
    const url = (await services())[protocol];
    await using proxy = await forwardProxy(proxyIdentity, host);
    const file = join(await temporaryFolder(), 'ca.pem');
    await writeFile(file, ofProxy.cert);
    const address = proxy.url.replace('://', '://user:dummy@');
    const options = { url, ...PATIENT, http: { timeoutMs: 5_000, proxy: address, tls } };
    expect(await run(options, 'await provider.onClose();', { NODE_EXTRA_CA_CERTS: file })).toBe('blue\n');
    expect(new Set(proxy.credentials)).toEqual(new Set([`Basic ${btoa('user:dummy')}`]));
    await expect(run({ ...options, initTimeoutMs: 2_000 }, '')).rejects.toThrow(/certificate/);
  },
);

describe.each(['http:', 'https:'] as const)('to an %s service', (protocol) => {
  it('a proxy that never answers keeps no process alive', async () => {
    const url = (await services())[protocol];
    const silent = createServer((request) => request.resume());
    silent.on('connect', (_, socket) =>
      socket
        .on('error', () => undefined)
        .on('end', () => socket.destroy())
        .resume(),
    );
    await using proxy = await listening(silent, { host: '127.0.0.1', port: 0 });
    const http = { proxy: `http://127.0.0.1:${proxy.port}`, tls };
    const start = 'await provider.initialize().catch(() => undefined);';
    expect(await run({ url, initTimeoutMs: 100, deadlineMs: 100, http }, '', {}, start)).toBe(
      'the default\n',
    );
  });

  it('a stream through a proxy keeps no process alive', async () => {
    const url = (await services())[protocol];
    await using proxy = await forwardProxy();
    const http = { timeoutMs: 5_000, proxy: proxy.url, tls };
    const work = `
      while (provider.getStatus().watch.stream !== 'open') await new Promise((resolve) => setTimeout(resolve, 20));
      console.log('open');`;
    expect(await run({ url, ...PATIENT, watch: { stream: true }, http }, work)).toBe('blue\nopen\n');
  });
});

/** Asks with Node's own HTTP, too. */
const COMPARED = `
  import http from 'node:http';
  import https from 'node:https';
  import { FliptClient } from 'openfeature-flipt-provider/client';
  const [url, ca, http_ = '{}'] = process.argv.slice(1);
  await new Promise((resolve) => {
    const asked = (url.startsWith('https:') ? https : http).get(url + '/plain', { ca }, (response) => response.resume().on('end', resolve));
    asked.on('error', resolve);
  });
  const client = new FliptClient({ url, http: { timeoutMs: 5_000, retries: 0, tls: { ca }, ...JSON.parse(http_) } });
  await client.segments.list('default').catch((error) => console.log(error.message));
  await client.close();`;

describe.each(['http:', 'https:'] as const)('to an %s service, as Node does', (protocol) => {
  /** How many requests the proxy got: one of Node's own HTTP, and one of the package. */
  async function proxied(
    options: readonly string[],
    env: (proxy: string) => Record<string, string>,
    http: object,
  ) {
    const url = (await services())[protocol];
    await using proxy = await forwardProxy();
    const args = [
      ...options,
      '--input-type=module',
      '--eval',
      COMPARED,
      '--',
      url,
      authority.cert,
      JSON.stringify(http),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env(proxy.url) },
      timeout: 30_000,
    });
    expect(stdout).not.toContain('certificate');
    return proxy.seen.length;
  }
  const VARIABLE = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const isOffered = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
  const both = isOffered ? 2 : 0;

  const UNSET = { NODE_USE_ENV_PROXY: '', NO_PROXY: '' };

  it.each<[string, readonly string[], Record<string, string>, object, number]>([
    ['NODE_USE_ENV_PROXY=1', [], { NODE_USE_ENV_PROXY: '1' }, {}, both],
    ['--use-env-proxy', isOffered ? ['--use-env-proxy'] : [], {}, {}, both],
    ['neither', [], {}, {}, 0],
    ['NO_PROXY', [], { NODE_USE_ENV_PROXY: '1', NO_PROXY: '127.0.0.1' }, {}, 0],
    ['http.proxy: false', [], { NODE_USE_ENV_PROXY: '1' }, { proxy: false }, both / 2],
    ["http.proxy: 'env', without Node's", [], {}, { proxy: 'env' }, 1],
  ])('with %s', async (_, options, env, http, expected) => {
    const all = (proxy: string) => ({ ...UNSET, [VARIABLE]: proxy, ...env });
    expect(await proxied(options, all, http)).toBe(expected);
  });
});
