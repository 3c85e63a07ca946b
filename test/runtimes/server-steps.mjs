/* Steps that need files, processes or servers of their own: for Node, Bun and Deno. */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createRequire } from 'node:module';
import { connect, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { makeCertificate } from './certificate.mjs';
import { details, FEATURES, PRO, set, until, withProvider, withStarted } from './checks.mjs';

/** There, the package refuses a proxy. */
const isBun = process.versions.bun !== undefined;

const require = createRequire(import.meta.url);
const ENTRIES = ['', '/client', '/local', '/express', '/ofrep', '/opentelemetry', '/redis'];

const running = async (options, use) => {
  const service = await startLocalService({ features: FEATURES, ...options });
  try {
    return await use(service);
  } finally {
    await service.close();
  }
};

const inFolder = async (use) => {
  const folder = mkdtempSync(join(tmpdir(), 'smoke-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** A server of node:http, or of node:https with a certificate, for one step. */
const serving = async (handler, at, use, tls) => {
  const server = tls === undefined ? createServer(handler) : createTlsServer(tls, handler);
  server.on('tlsClientError', () => undefined);
  await new Promise((resolve) => server.listen(at, resolve));
  try {
    return await use(server.address());
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
};

/** A proxy that opens tunnels. By hand: not every runtime's server takes CONNECT. */
const tunnelling = async (seen, use) => {
  const sockets = new Set();
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (head) => {
      const [, host, port] = /^CONNECT ([\d.]+):(\d+) /.exec(String(head)) ?? [];
      seen.push('tunnel');
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      sockets.add(onward);
      onward.on('error', () => socket.destroy());
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
};

/** Passes requests on to a service, as a gateway does. */
const forwardingTo = (url) => async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length === 0 ? undefined : Buffer.concat(chunks);
  const answer = await fetch(new URL(request.url, url), { method: request.method, body });
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
};

export const steps = {
  'every entry, as ES module': async () => {
    for (const entry of ENTRIES) await import(`openfeature-flipt-provider${entry}`);
  },
  'every entry, as CommonJS': () => {
    for (const entry of ENTRIES) require(`openfeature-flipt-provider${entry}`);
  },
  'in-process, as CommonJS': ({ url }) => {
    const { FliptProvider } = require('openfeature-flipt-provider');
    const provider = new FliptProvider({ url, evaluation: 'in-process', initTimeoutMs: 15_000 });
    return provider
      .initialize()
      .then(() => details(provider.resolveBooleanEvaluation('on', false, {}), { value: true }))
      .finally(() => provider.onClose());
  },
  'the stream of changes': () =>
    running({ semantics: 'v2' }, (service) =>
      withStarted({ url: service.url, watch: { stream: true } }, async (provider) => {
        await provider.resolveBooleanEvaluation('switched', true, {});
        await until(() => provider.getStatus().watch.stream === 'open');
        service.set('switched', true);
        await until(async () => (await provider.resolveBooleanEvaluation('switched', false, {})).value);
      }),
    ),
  'an outage: last known answers, then a recovery': () =>
    running({}, async (first) => {
      const options = { cache: { freshForMs: 0, staleForMs: 0 }, watch: false, breaker: { openForMs: 100 } };
      await withStarted({ url: first.url, ...options }, async (provider) => {
        const ask = () => provider.resolveBooleanEvaluation('on', false, {});
        await ask();
        await first.close();
        await details(ask(), { value: true, reason: 'STALE' });
        await running({ port: Number(new URL(first.url).port) }, async () => {
          await until(async () => (await ask()).reason === 'DEFAULT');
        });
      });
    }),
  'a deadline': () =>
    serving(
      () => undefined,
      0,
      ({ port }) =>
        withProvider({ url: `http://127.0.0.1:${port}`, deadlineMs: 200, watch: false }, (provider) =>
          details(provider.resolveBooleanEvaluation('on', true, {}), { value: true, errorCode: 'GENERAL' }),
        ),
    ),
  'a retry after a broken connection': ({ url }) => {
    let broken = 0;
    const forward = forwardingTo(url);
    const flaky = (request, response) => {
      if (broken > 0) return forward(request, response);
      broken += 1;
      request.socket.destroy();
      return undefined;
    };
    return serving(flaky, 0, ({ port }) =>
      withProvider({ url: `http://127.0.0.1:${port}`, watch: false }, (provider) =>
        details(provider.resolveBooleanEvaluation('on', false, {}), { value: true }),
      ),
    );
  },
  'a Unix socket': ({ url }) =>
    inFolder((folder) => {
      const socketPath = join(folder, 'flipt.sock');
      return serving(forwardingTo(url), socketPath, () =>
        withProvider({ url, http: { socketPath }, watch: false }, (provider) =>
          details(provider.resolveBooleanEvaluation('on', false, {}), { value: true }),
        ),
      );
    }),
  'a proxy': ({ url }) => {
    if (isBun)
      return assert.rejects(
        withProvider({ url, http: { proxy: url } }, () => undefined),
        /set http\.dispatcher/,
      );
    let asked = 0;
    const forward = forwardingTo(url);
    const proxy = (request, response) => {
      asked += 1;
      return forward(request, response);
    };
    return serving(proxy, 0, ({ port }) =>
      withProvider({ url, http: { proxy: `http://127.0.0.1:${port}` }, watch: false }, async (provider) => {
        await details(provider.resolveBooleanEvaluation('on', false, {}), { value: true });
        assert.equal(asked, 1);
      }),
    );
  },
  'http.tls, on every way to the service': async ({ url }) => {
    const authority = makeCertificate({ name: 'authority' });
    const other = makeCertificate({ name: 'other' });
    const { cert, key } = makeCertificate({ name: 'service', hosts: ['127.0.0.1'], issuer: authority });
    const seen = [];
    const forward = forwardingTo(url);
    const gateway = (request, response) => {
      seen.push('request');
      return forward(request, response);
    };
    await serving(
      gateway,
      0,
      ({ port }) =>
        tunnelling(seen, async (proxy) => {
          const address = `https://127.0.0.1:${port}`;
          const ways = [
            [{}, {}, []],
            [{ proxy }, {}, ['tunnel']],
            [{ proxy: 'env' }, { https_proxy: proxy }, ['tunnel']],
            [{ proxy: 'env' }, {}, []],
            [{ proxy: 'env' }, { https_proxy: proxy, no_proxy: '127.0.0.1' }, []],
          ];
          for (const [http, env, tunnels] of ways.filter(([, , tunnels]) => !isBun || tunnels.length === 0)) {
            for (const name of [
              'https_proxy',
              'HTTPS_PROXY',
              'http_proxy',
              'HTTP_PROXY',
              'no_proxy',
              'NO_PROXY',
            ])
              delete process.env[name];
            Object.assign(process.env, env);
            const resolved = (tls) =>
              withProvider(
                {
                  url: address,
                  http: Object.assign({}, http, { retries: 0, tls }),
                  watch: false,
                  breaker: false,
                },
                (provider) => provider.resolveBooleanEvaluation('on', false, {}),
              );
            assert.equal((await resolved({ ca: authority.cert })).value, true);
            assert.deepEqual(seen.splice(0), [...tunnels, 'request']);
            for (const tls of [{ ca: other.cert }, {}]) {
              const { errorCode, errorMessage } = await resolved(tls);
              assert.equal(errorCode, 'GENERAL');
              assert.match(errorMessage, /certificate/i);
            }
            assert.ok(!seen.splice(0).includes('request'));
          }
        }),
      { cert, key },
    );
  },
  'tokens: rejected, then accepted from a file': () =>
    running({ bootstrapToken: 'token-of-a-test' }, ({ url }) =>
      inFolder(async (folder) => {
        const tokenFile = join(folder, 'token');
        writeFileSync(tokenFile, 'another');
        await withProvider({ url, auth: { tokenFile } }, async (provider) => {
          await assert.rejects(provider.initialize(), { code: 'PROVIDER_FATAL' });
          writeFileSync(tokenFile, 'token-of-a-test');
          await until(async () => (await provider.resolveBooleanEvaluation('on', false, {})).value);
        });
      }),
    ),
  'a file that keeps the snapshot': () =>
    inFolder(async (folder) => {
      const file = join(folder, 'flags.snapshot');
      const options = { evaluation: 'in-process', snapshot: { file }, initTimeoutMs: 15_000 };
      let url;
      await running({}, async (service) => {
        url = service.url;
        await withStarted({ url, ...options }, () => undefined);
      });
      assert.equal(statSync(file).mode & 0o777, 0o600);
      await withStarted({ url, ...options }, (provider) =>
        details(provider.resolveStringEvaluation('banner', 'none', PRO), { value: 'red', reason: 'STALE' }),
      );
    }),
  'the embedded service, with its data in a file': () =>
    inFolder(async (folder) => {
      const data = join(folder, 'data.json');
      await running({ data }, async (service) => {
        await service.setFlag('default', 'switched', { enabled: true });
      });
      await running({ data }, ({ url }) =>
        withProvider({ url }, (provider) =>
          details(provider.resolveBooleanEvaluation('switched', false, {}), { value: true }),
        ),
      );
    }),
  'the page of the embedded service': async ({ url }) => {
    const response = await fetch(url, { headers: { accept: 'text/html' } });
    assert.match(await response.text(), /^<!doctype html>/i);
  },
  'an override from another process': ({ url }) =>
    withProvider({ url, cache: false, watch: false }, async (provider) => {
      await set(url, 'banner', 'plain');
      await details(provider.resolveStringEvaluation('banner', 'none', {}), { value: 'plain' });
      await fetch(`${url}/local/v1/namespaces/default/flags/banner`, { method: 'DELETE' });
    }),
  'the middleware for Express': async ({ url }) => {
    const { default: express } = await import('express');
    const { flags } = await import('openfeature-flipt-provider/express');
    const { OpenFeature } = await import('@openfeature/server-sdk');
    await withProvider({ url }, async (provider) => {
      await OpenFeature.setProviderAndWait(provider);
      const app = express();
      app.use(flags({ context: () => PRO, prefetch: ['banner'] }));
      app.get('/', async (req, res) => res.send(await req.flags.getStringValue('banner', 'none')));
      await serving(app, 0, async ({ port }) => {
        assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'red');
      });
      await OpenFeature.clearProviders();
    });
  },
  'the command': () =>
    inFolder(async (folder) => {
      const features = join(folder, 'features.json');
      writeFileSync(features, JSON.stringify(FEATURES));
      const manifest = require.resolve('openfeature-flipt-provider/package.json');
      const before = process.versions.deno === undefined ? [] : ['run', '--allow-all'];
      const args = ['explain', '--flag', 'banner', '--features', features, '--context', 'plan=pro'];
      const command = [...before, join(manifest, '..', 'dist/cli.js'), ...args];
      const { stdout } = await promisify(execFile)(process.execPath, command);
      assert.match(stdout, /variant "red"/);
    }),
};
