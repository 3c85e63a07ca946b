import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { FEATURES } from './features.fixture.js';
import { startLocalService } from '../../src/local/index.js';
import { refusedAddress } from './open.fixture.js';
import { PATIENT } from '../eventually.fixture.js';
import { ownAddress } from '../servers/own-address.fixture.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a script as a user would, with the built package. */
async function run(options: FliptProviderOptions, work: string): Promise<string> {
  const script = `
    import { OpenFeature } from '@openfeature/server-sdk';
    import { FliptProvider } from 'openfeature-flipt-provider';
    const provider = new FliptProvider(${JSON.stringify(options)});
    ${work}`;
  // Rejects unless the exit code is 0.
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
  });
  return stdout;
}

/** A service that accepts connections and never answers. */
async function silentService() {
  const host = ownAddress();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    // The process at the other end ends without a word.
    sockets.add(socket.on('error', () => undefined).resume());
  }).listen(0, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A poll waits so long for a service that never answers. */
const SILENT_MS = 30_000;

// Concurrent, because processes and their time-outs take long to begin and end.
describe.concurrent('a script', () => {
  it.each([
    [
      'whose only work is one resolve',
      "console.log((await provider.resolveStringEvaluation('colour', 'the default', {})).value);",
    ],
    [
      'that registers the provider first',
      `await OpenFeature.setProviderAndWait(provider).catch(() => {});
       console.log(await OpenFeature.getClient().getStringValue('colour', 'the default'));`,
    ],
    [
      'that does not wait for the start',
      `OpenFeature.setProvider(provider);
       console.log(await OpenFeature.getClient().getStringValue('colour', 'the default'));`,
    ],
  ])('%s prints the default against a refused port, and exits 0', async (_, work) => {
    expect(await run({ url: await refusedAddress(), initTimeoutMs: 200 }, work)).toBe('the default\n');
  });

  it.each(['remote', 'in-process'] as const)(
    'does not wait for a poll that gets no answer once its work is done, %s',
    { timeout: SILENT_MS / 2 },
    async (evaluation) => {
      const work = `
        await OpenFeature.setProviderAndWait(provider).catch(() => {});
        console.log(await OpenFeature.getClient().getStringValue('colour', 'the default'));`;
      using service = await silentService();
      const { url } = service;
      expect(await run({ url, evaluation, initTimeoutMs: 200 }, work)).toBe('the default\n');
    },
  );

  it('prints the value, closes, and exits 0', async () => {
    await using service = await startLocalService({ features: FEATURES });
    const work = `
      await OpenFeature.setProviderAndWait(provider);
      console.log(await OpenFeature.getClient().getStringValue('colour', 'the default'));
      await OpenFeature.close();`;
    expect(await run({ url: service.url, ...PATIENT }, work)).toBe('blue\n');
  });

  it('ends by itself, without closing, once a value was printed', async () => {
    await using service = await startLocalService({ features: FEATURES });
    const work = "console.log((await provider.resolveStringEvaluation('colour', '', {})).value);";
    expect(await run({ url: service.url, ...PATIENT }, work)).toBe('blue\n');
  });
});
