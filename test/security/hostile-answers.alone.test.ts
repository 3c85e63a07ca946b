import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { savedText } from '../snapshot/saved-text.fixture.js';
import { hostileBody } from '../snapshot/hostile-bodies.fixture.js';

vi.setConfig({ testTimeout: 120_000 });

const MB = 1024 * 1024;
const ON = { enabled: true, reason: 'DEFAULT_EVALUATION_REASON' };
const ANSWER = JSON.stringify({
  responses: [{ type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE', booleanResponse: ON }],
});

interface Ended {
  readonly logs: readonly string[];
  readonly value: boolean;
  readonly reason: string;
}

type Answer = (response: ServerResponse) => void;
const gzip =
  (body: Buffer): Answer =>
  (response) =>
    response.setHeader('content-encoding', 'gzip').end(gzipSync(body));

/** A process with so many MB of heap, whose service answers so; 404 without a snapshot. Rejects if it ends with an error. */
async function ended(
  snapshot: Answer | undefined,
  batch: string,
  env: object = {},
  heapMb = 256,
): Promise<Ended> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    if (request.method === 'POST') response.end(batch);
    else if (snapshot !== undefined && request.url?.includes('snapshot') === true) snapshot(response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${String(typeof address === 'object' && address?.port)}`;
  const child = fork(join(import.meta.dirname, 'hostile-process.mjs'), {
    env: { ...process.env, URL_OF_FLIPT: url, ...env },
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (message) => {
      resolve(message as Ended);
    });
    child.once('exit', (code, signal) => {
      reject(new Error(`ended with ${String(code ?? signal)}`));
    });
  });
}

it.each<[string, number, RegExp]>([
  ['flags 0', 62, /flags\[0\]: expected an object/],
  ['flags {}', 62, /flags\[0\]\.key: missing/],
  ['variant flags', 8, /more than 200000 flags/],
  [
    'distributions',
    62,
    /cannot read these flags: "a"; the provider asks Flipt for them.* more than 1048576 bytes/,
  ],
  ['levels of lists', 62, /not JSON: the body ends too early/],
])(
  '"%s", %i MB in a few kB of gzip: the process goes on, Flipt is asked, and the log says why',
  async (name, size, why) => {
    const { logs, value, reason } = await ended(gzip(hostileBody(name, size * MB, () => 1)), ANSWER, {
      FLAG: 'a',
    });
    expect({ value, reason }).toEqual({ value: true, reason: 'DEFAULT' });
    expect(logs.join('\n')).toMatch(why);
  },
);

it('a body in a million chunks of a byte: the process goes on, and Flipt is asked', async () => {
  const { logs, value, reason } = await ended(undefined, ANSWER, { DRIP: '1000000' }, 64);
  expect({ value, reason }).toEqual({ value: true, reason: 'DEFAULT' });
  expect(logs.join('\n')).toMatch(/a snapshot that cannot be used/);
});

it('16 MB of {} as the answer to a batch: the caller gets the default, and the log says why', async () => {
  const batch = `{"responses":[${'{},'.repeat(5 * MB)}{}]}`;
  const { logs, value, reason } = await ended(undefined, batch, { INIT_MS: '3000' });
  expect({ value, reason }).toEqual({ value: false, reason: 'ERROR' });
  expect(logs.join('\n')).toMatch(/unreadable response: more than \d+ values/);
});

it.each<[string, (file: string, url: string) => void, RegExp]>([
  [
    'a saved text of more than 64 MB',
    (file) => {
      writeFileSync(file, '{"format":1,"url":"');
      truncateSync(file, 65 * MB);
    },
    /could not load the snapshot: it has more than 67108864 bytes/,
  ],
  [
    'a saved text of 60 MB in one line',
    (file) => {
      writeFileSync(file, `{"format":2,"url":"${'['.repeat(60 * MB)}`);
    },
    /the body ends too early/,
  ],
])('%s is not used, and the log says why', async (_, write, why) => {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'snapshot');
  write(file, '');
  const { logs, value } = await ended(undefined, ANSWER, { SNAPSHOT: file });
  expect(value).toBe(true);
  expect(logs.join('\n')).toMatch(why);
});

it('a store cannot write more than it may read: a saved body has the limits of one from Flipt', async () => {
  const { readSnapshotText } = await import('../../src/snapshot/text.js');
  const { systemClock } = await import('../../src/base/time/clock.js');
  const place = { url: 'http://flipt.test', namespace: 'default', environment: undefined };
  const text = `${savedText({}, {}, place).slice(0, -1)},${hostileBody('flags 0', MB, () => 1)
    .toString()
    .slice(1)}`;
  await expect(readSnapshotText(text, place, systemClock)).rejects.toThrow('flags[0]: expected an object');
  const huge = `${text}${'['.repeat(64 * MB)}`;
  await expect(readSnapshotText(huge, place, systemClock)).rejects.toThrow('it has more than 67108864 bytes');
});
