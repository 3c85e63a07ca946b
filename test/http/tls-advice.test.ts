import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../faults/certificate.fixture.js';
import { authority, server127, tlsService } from '../faults/node-server.fixture.js';
import type { HttpOptions } from '../../src/options/http-options.js';
import { forwardProxy } from '../servers/forward-proxy.fixture.js';
import { REQUEST } from './outcomes.fixture.js';
import { transportTo } from './transport.fixture.js';

const client = makeCertificate({ name: 'client' });
const other = makeCertificate({ name: 'another authority' });
const named = makeCertificate({ name: 'named', hosts: ['flipt.internal'], issuer: authority });

async function messageOf(url: string, http: HttpOptions): Promise<string> {
  const outcome = await transportTo(url, { http: { ...http, timeoutMs: 5_000 } }).send(REQUEST);
  return outcome.kind === 'reply' ? String(outcome.status) : outcome.message;
}

const NO_CLIENT =
  /; the other side may ask for a client certificate that it trusts: set http\.tls\.cert and http\.tls\.key/;

describe.each(['direct', 'through a proxy'])('%s, a failure of TLS says what to do', (way) => {
  const options = async (tls: HttpOptions['tls']) => {
    if (way === 'direct') return { http: { tls }, async [Symbol.asyncDispose]() {} };
    const proxy = await forwardProxy();
    return { http: { tls, proxy: proxy.url }, [Symbol.asyncDispose]: proxy[Symbol.asyncDispose] };
  };

  it.each<[string, object, HttpOptions['tls'], RegExp]>([
    [
      'an unknown authority',
      {},
      undefined,
      /; name its certificate authority with http\.tls\.ca \(UNABLE_TO/,
    ],
    [
      'another authority',
      {},
      { ca: other.cert },
      /; name its certificate authority with http\.tls\.ca \(SELF_SIGNED/,
    ],
    [
      'another name',
      { cert: named.cert, key: named.key },
      { ca: authority.cert },
      /the certificate has DNS:flipt\.internal; correct url, or give one of these names as http\.tls\.servername/,
    ],
    ['no client certificate', { maxVersion: 'TLSv1.2' }, { ca: authority.cert }, NO_CLIENT],
    ['no client certificate, in TLS 1.3', { minVersion: 'TLSv1.3' }, { ca: authority.cert }, NO_CLIENT],
  ])('%s', async (_, server, tls, expected) => {
    const asks = { requestCert: true, rejectUnauthorized: true, ca: authority.cert };
    await using service = await tlsService({ ...(tls && !('cert' in server) && asks), ...server });
    await using how = await options(tls);
    const message = await messageOf(`https://127.0.0.1:${service.port}`, how.http);
    expect(message).toMatch(expected);
    expect(message).not.toContain(':error:');
  });
});

it.each(['http:', 'https:'])(
  "the certificate of a proxy is called the proxy's, to an %s service",
  async (protocol) => {
    await using unknown = await forwardProxy(server127);
    await using other = await forwardProxy(named);
    const url = `${protocol}//flipt.test`;
    const tls = { ca: authority.cert };
    expect(await messageOf(url, { proxy: unknown.url, tls })).toMatch(
      /; the certificate is the proxy's: name its certificate authority with NODE_EXTRA_CA_CERTS \(UNABLE_TO/,
    );
    expect(await messageOf(url, { proxy: other.url, tls })).toMatch(/; the certificate is the proxy's: /);
    expect([...unknown.seen, ...other.seen]).toEqual([]);
  },
);

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a client certificate that the service does not trust, in %s, is what may be wrong',
  async (version) => {
    const asks = { requestCert: true, rejectUnauthorized: true, ca: authority.cert };
    await using service = await tlsService({ ...asks, minVersion: version, maxVersion: version });
    const { cert, key } = client;
    const message = await messageOf(`https://127.0.0.1:${service.port}`, {
      tls: { ca: authority.cert, cert, key },
    });
    expect(message).toMatch(NO_CLIENT);
  },
);
