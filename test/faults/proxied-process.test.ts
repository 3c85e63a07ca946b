import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
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
import { authority } from './node-server.fixture.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ofProxy = makeCertificate({ name: "the proxy's authority" });
const proxyIdentity = makeCertificate({ name: 'proxy', hosts: ['127.0.0.1'], issuer: ofProxy });

/** An embedded service, and the same behind TLS. */
async function services() {
  const service = await startLocalService({ features: FEATURES, semantics: 'v2' });
  onTestFinished(() => service.close());
  return { 'http:': service.url, 'https:': (await tlsFront(service.url)).url };
}

/** Runs a script as a user would, with the built package. It must end by itself. */
async function run(options: object, work: string, env: Record<string, string> = {}): Promise<string> {
  const script = `
    import { FliptProvider } from 'openfeature-flipt-provider';
    const provider = new FliptProvider(${JSON.stringify(options)});
    await provider.initialize();
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

describe.each(['http:', 'https:'] as const)('to an %s service', (protocol) => {
  const tls = { ca: authority.cert };

  it('an https: proxy is used whose certificate Node trusts, with the user and the password of its address', async () => {
    const url = (await services())[protocol];
    await using proxy = await forwardProxy(proxyIdentity);
    const file = join(await temporaryFolder(), 'ca.pem');
    await writeFile(file, ofProxy.cert);
    const address = proxy.url.replace('://', '://user:dummy@');
    const options = { url, ...PATIENT, http: { timeoutMs: 5_000, proxy: address, tls } };
    expect(await run(options, 'await provider.onClose();', { NODE_EXTRA_CA_CERTS: file })).toBe('blue\n');
    expect(new Set(proxy.credentials)).toEqual(new Set([`Basic ${btoa('user:dummy')}`]));
    await expect(run({ ...options, initTimeoutMs: 2_000 }, '')).rejects.toThrow(/certificate/);
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
