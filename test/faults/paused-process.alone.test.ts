import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useFolder } from '../local/folder.fixture.js';
import { startScript } from '../process.fixture.js';
import { ownAddress } from '../servers/own-address.fixture.js';
import { bodyJson } from '../snapshot/fetched.fixture.js';

const at = useFolder();
let script: string;
beforeAll(async () => {
  script = at('paused.cjs');
  const entry = fileURLToPath(new URL('paused.fixture.ts', import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
});

async function json(request: IncomingMessage): Promise<unknown> {
  return JSON.parse((await text(request)) || '{}');
}

/** A Flipt with one flag. `held` takes the responses to polls while it is a list. */
async function flipt() {
  const state = { sale: false, held: undefined as ServerResponse[] | undefined, isHeld: () => {} };
  const send = (response: ServerResponse, body: object) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const poll = (response: ServerResponse) => {
    send(response, bodyJson({ sale: state.sale }));
  };
  const evaluate = ({ requests }: { readonly requests: readonly { readonly flagKey: string }[] }) => ({
    responses: requests.map(({ flagKey }) => ({
      type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
      booleanResponse: { enabled: state.sale, reason: 'DEFAULT_EVALUATION_REASON', flagKey },
    })),
  });
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      if (request.url?.startsWith('/internal/') === true) {
        if (state.held === undefined) poll(response);
        else {
          state.held.push(response);
          state.isHeld();
        }
      } else if (request.url === '/evaluate/v1/batch')
        send(response, evaluate(body as Parameters<typeof evaluate>[0]));
      else response.writeHead(404).end();
    });
  });
  const host = ownAddress();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { state, poll, url: `http://${host}:${(server.address() as AddressInfo).port}` };
}

describe.skipIf(process.platform === 'win32')('a process', () => {
  it('that was stopped while it polled sees the truth after refresh(), although its poll has died', async () => {
    const { state, url } = await flipt();
    const { printed, kill } = startScript(script, [url]);
    await printed(/ready/);
    state.held = [];
    const polling = new Promise<void>((resolve) => (state.isHeld = resolve));
    kill('SIGUSR1');
    await polling;
    kill('SIGSTOP');
    for (const response of state.held) response.destroy();
    state.held = undefined;
    state.sale = true;
    kill('SIGUSR2');
    kill('SIGCONT');
    expect(await printed(/invoked/)).toContain('invoked false true');
  });

  it('that ends after its first answer has saved its snapshot', async () => {
    const { state, poll, url } = await flipt();
    const file = at('flags.snapshot');
    state.held = [];
    const polling = new Promise<void>((resolve) => (state.isHeld = resolve));
    const { printed, ended } = startScript(script, [url, file]);
    await Promise.all([polling, printed(/first/)]);
    for (const response of state.held) poll(response);
    expect((await ended).code).toBe(0);
    expect(existsSync(file)).toBe(true);
  });
});
