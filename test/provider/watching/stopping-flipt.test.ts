import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { FliptProviderOptions } from '../../../src/index.js';
import { eventually } from '../../eventually.fixture.js';
import { ownAddress } from '../../servers/own-address.fixture.js';
import { answering, answerJson, item, orMissing, SNAPSHOT_PATH } from '../../servers/scripted.fixture.js';
import { open } from '../open.fixture.js';

/** A Flipt that stops as a real one does: it accepts no connections, and waits until open streams have ended. */
async function stoppable() {
  const answer = answering(orMissing(({ flagKey }) => item.boolean(flagKey)));
  const server = createServer((incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      if (path.endsWith('/stream')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"etag":"one"}\n\n');
      } else if (path.includes(SNAPSHOT_PATH)) {
        answerJson(response, { digest: 'one', namespace: { key: 'default' }, flags: [] });
      } else if (method === 'POST') void answer({ method, path, headers, body }, response);
      else response.writeHead(404).end();
    });
  });
  server.listen(0, ownAddress());
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address}:${port}`,
    stopped: async () => {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

it.each<[string, FliptProviderOptions]>([
  ['a question is refused', { watch: { stream: true, pollMs: 3_600_000 }, cache: false }],
  ['a poll is refused', { watch: { stream: true, pollMs: 200 }, evaluation: 'in-process' }],
])('a Flipt that stops does not have to wait for the stream once %s', async (_, options) => {
  const server = await stoppable();
  const { client, provider } = await open({ url: server.url, ...options });
  await eventually(() => provider.getStatus().watch?.stream === 'open');
  let isStopped = false;
  const stopped = server.stopped().then(() => {
    isStopped = true;
  });
  await eventually(async () => {
    await client.getBooleanValue('a', false);
    return isStopped;
  });
  await stopped;
  expect(provider.getStatus().watch?.stream).toBe('broken');
});
