import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownAddress } from '../../servers/own-address.fixture.js';

/** A Redis Cluster of one master with all slots, and one replica. */
export interface RedisCluster extends AsyncDisposable {
  readonly master: ClusterNode;
  readonly replica: ClusterNode;
  /** Stops the replication: the replica keeps its content, and goes on answering. */
  readonly lag: () => void;
  /** Makes the replica follow its master again. */
  readonly follow: () => void;
}

export interface ClusterNode {
  readonly host: string;
  readonly port: number;
  /** What `redis-cli` prints for a command. */
  readonly command: (line: string) => string;
}

/**
 * Starts a cluster. Its nodes speak to each other over TCP. Nobody else listens on the address, because the test has
 * one of its own.
 */
export async function redisCluster(): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-cluster-'));
  const [master, replica] = [await startedNode(folder, 'master'), await startedNode(folder, 'replica')];
  master.command('CLUSTER ADDSLOTSRANGE 0 16383');
  replica.command(`CLUSTER MEET ${master.host} ${master.port} ${master.busPort}`);
  const id = master.command('CLUSTER MYID');
  await until(() => replica.command(`CLUSTER REPLICATE ${id}`) === 'OK');
  await until(() => replica.command('INFO replication').includes('master_link_status:up'));
  await until(() => [master, replica].every(({ command }) => command('CLUSTER INFO').includes('state:ok')));
  // Clients learn of a replica only when it has replicated something.
  await until(() => {
    master.command('SET something new');
    return master.command('CLUSTER SLOTS').includes(String(replica.port));
  });
  return {
    master,
    replica,
    lag() {
      // With these credentials, the replica cannot connect to its master again.
      replica.command('CONFIG SET masterauth wrong');
      replica.command('CONFIG SET masteruser nobody');
      master.command('CLIENT KILL TYPE replica');
    },
    follow() {
      replica.command('CONFIG SET masteruser default');
      master.command('CONFIG SET requirepass ""');
      replica.command('CONFIG SET masterauth ""');
      replica.command('CONFIG SET masteruser ""');
    },
    async [Symbol.asyncDispose]() {
      for (const { server } of [master, replica]) {
        const ended = once(server, 'exit');
        server.kill('SIGKILL');
        await ended;
      }
      await rm(folder, { recursive: true });
    },
  };
}

async function startedNode(folder: string, name: string) {
  const host = ownAddress();
  const [port, busPort] = [await freePort(host), await freePort(host)];
  const socket = join(folder, `${name}.sock`);
  const args = {
    bind: host,
    port,
    'cluster-port': busPort,
    unixsocket: socket,
    dir: folder,
    'cluster-enabled': 'yes',
    'cluster-announce-ip': host,
    'cluster-config-file': `${name}.conf`,
    'cluster-node-timeout': 60_000,
    save: '',
    appendonly: 'no',
    'repl-diskless-sync-delay': 0,
  };
  const server: ChildProcess = spawn(
    'redis-server',
    Object.entries(args).flatMap(([option, value]) => [`--${option}`, String(value)]),
    { stdio: 'ignore' },
  );
  const command = (line: string) =>
    spawnSync('redis-cli', ['-s', socket, ...line.split(' ').map((word) => (word === '""' ? '' : word))], {
      encoding: 'utf8',
    }).stdout.trim();
  await until(() => {
    if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`);
    return command('PING') === 'PONG';
  });
  return { host, port, busPort, command, server };
}

async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function until(wished: () => boolean): Promise<void> {
  for (let look = 0; look < 600; look++) {
    if (wished()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the cluster did not come up');
}
