import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const isInstalled = spawnSync('redis-server', ['--version']).status === 0;

if (!isInstalled && process.env.FLIPT_TEST_REDIS === 'required') {
  throw new Error(
    'FLIPT_TEST_REDIS=required, and there is no redis-server: install the package redis-server',
  );
}
/** Why the tests with a real Redis do not run here; `undefined` if they do. */
export const noRedis = isInstalled ? undefined : 'there is no redis-server on this machine';
if (noRedis !== undefined) console.warn(`The tests of the Redis store are skipped: ${noRedis}`);

/**
 * A Redis for one test, in a temporary folder, which keeps nothing on disk. It listens on a socket in that folder,
 * because another program could take a port before Redis does, or before it starts again.
 */
export interface RedisServer extends AsyncDisposable {
  /** The path of its socket. */
  readonly socket: string;
  /** Ends the server like a crash. */
  readonly kill: () => Promise<void>;
  /** Starts the server again on its socket. It is empty then. */
  readonly restart: () => Promise<void>;
  readonly pause: () => boolean;
  readonly resume: () => void;
  /** What `redis-cli` prints for a command. */
  readonly command: (...words: readonly string[]) => string;
  /** Returns the text of a key, or an empty one. It starts no process, so that a test may ask again and again. */
  readonly text: (key: string) => Promise<string>;
}

export async function redisServer(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const socket = join(folder, 'redis.sock');
  let server = await started(socket, folder);
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  return {
    socket,
    kill,
    async restart() {
      server = await started(socket, folder);
    },
    pause: () => server.kill('SIGSTOP'),
    resume: () => server.kill('SIGCONT'),
    command: (...words) =>
      spawnSync('redis-cli', ['-s', socket, ...words], { encoding: 'utf8' }).stdout.trim(),
    text: (key) => textOf(socket, key),
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

async function started(socket: string, folder: string): Promise<ChildProcess> {
  const listening = ['--port', '0', '--unixsocket', socket];
  const keeping = ['--dir', folder, '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', [...listening, ...keeping], { stdio: 'ignore' });
  while (!(await answers(socket))) {
    if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return server;
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => {
      resolve(false);
    });
  });
}

/**
 * Asks in the protocol of Redis. The answer is `$5`, the text, and the `OK` of the farewell, each followed by a line
 * break.
 */
async function textOf(socket: string, key: string): Promise<string> {
  const connection = createConnection(socket).setEncoding('utf8');
  connection.write(`GET ${key}\r\nQUIT\r\n`);
  const [length = '', ...lines] = (await text(connection)).split('\r\n');
  if (!length.startsWith('$')) throw new Error(`GET ${key}: ${length}`);
  return length === '$-1' ? '' : (lines[0] ?? '');
}
