import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const isInstalled = spawnSync('redis-server', ['--version']).status === 0;

if (!isInstalled && process.env.FLIPT_TEST_REDIS === 'required') {
  throw new Error(
    'FLIPT_TEST_REDIS=required, and there is no redis-server: install the package redis-server',
  );
}
/** Why the tests with a real Redis do not run here; `undefined` where they do. */
export const noRedis = isInstalled ? undefined : 'there is no redis-server on this machine';
if (noRedis !== undefined) console.warn(`The tests of the Redis store are skipped: ${noRedis}`);

/** A Redis of its own, in a temporary folder, that keeps nothing on disk. */
export interface RedisServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Ends it as a crash would. */
  readonly kill: () => Promise<void>;
  /** Starts it again on its port, empty. */
  readonly restart: () => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
  /** What `redis-cli` prints for a command. */
  readonly command: (...words: readonly string[]) => string;
}

export async function redisServer(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const port = await freePort();
  let server = await started(port, folder);
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill,
    async restart() {
      server = await started(port, folder);
    },
    pause: () => server.kill('SIGSTOP'),
    resume: () => server.kill('SIGCONT'),
    command: (...words) =>
      spawnSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8' }).stdout.trim(),
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function started(port: number, folder: string): Promise<ChildProcess> {
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  while (!(await answers(port))) {
    if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return server;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
