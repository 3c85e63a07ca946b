import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { ownAddress } from '../servers/own-address.fixture.js';

/** A proxy between a provider and its service. It behaves like a network that loses connections without a word. */
export interface SwallowingProxy extends AsyncDisposable {
  readonly url: string;
  /** Makes every byte on the connections that are open get lost from now on. The connections stay open. */
  readonly swallow: () => void;
  /** While this is true, the bytes of all new connections get lost. */
  swallowsAll: boolean;
  /** The bytes of each connection with a request that holds this text get lost. */
  swallowsRequestsWith: string | undefined;
  /** Returns how many connections are open. */
  readonly open: () => number;
}

/** @param target The address of the service. */
export async function swallowingProxy(target: string): Promise<SwallowingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let dead = new WeakSet<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    sockets.add(near);
    const forward = (from: Socket, to: Socket) => {
      from.on('error', () => undefined);
      from.on('data', (bytes) => {
        const { swallowsRequestsWith: lost } = itself;
        if (itself.swallowsAll || (lost !== undefined && bytes.includes(lost))) dead.add(near);
        if (!dead.has(near)) to.write(bytes);
      });
    };
    forward(near, far);
    forward(far, near);
    near.on('close', () => {
      sockets.delete(near);
      far.destroy();
    });
    far.on('close', () => {
      if (!dead.has(near)) near.destroy();
    });
  });
  const host = ownAddress();
  proxy.listen(0, host);
  await once(proxy, 'listening');
  const itself: SwallowingProxy = {
    url: `http://${host}:${(proxy.address() as AddressInfo).port}`,
    swallow() {
      dead = new WeakSet(sockets);
    },
    swallowsAll: false,
    swallowsRequestsWith: undefined,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      const closed = once(proxy, 'close');
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return itself;
}
