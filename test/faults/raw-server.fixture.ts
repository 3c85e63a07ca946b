import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { systemClock } from '../../src/base/time/clock.js';
import { ownAddress } from '../servers/own-address.fixture.js';
import { INFO_PATH, SNAPSHOT_PATH } from '../servers/scripted.fixture.js';

/** A request as it was received. */
export interface RawRequest {
  readonly head: string;
  readonly body: string;
  /** When the request came, in milliseconds of the provider's clock. */
  readonly at: number;
}

/**
 * Decides what happens to a request. It writes bytes to a bare socket, because an HTTP library would repair what must
 * be broken.
 */
export type Behaviour = (socket: Socket, request: RawRequest) => void;

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly requests: RawRequest[];
  /** Decides what happens to requests from now on. */
  behave: Behaviour;
  /** Answers a watch, whose requests are not counted. At first, it answers that there are no snapshots. */
  serveSnapshot: Behaviour;
  /** Decides what happens to a new connection before anything is read from it. */
  welcome: (socket: Socket) => void;
  readonly openSockets: () => number;
  /** Makes the server refuse new connections, and resets open ones. */
  readonly stop: () => Promise<void>;
  /** Makes the server listen again, on the same port. */
  readonly start: () => Promise<void>;
}

/** @param atPort The port to listen on. Default: one that the system chooses. */
export async function rawServer(behave: Behaviour, host = ownAddress(), atPort = 0): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: RawRequest[] = [];
  let server: Server | undefined;
  let port = atPort;

  const onConnection = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // This server resets connections on purpose.
    socket.on('error', () => undefined);
    itself.welcome(socket);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (;;) {
        const request = firstRequest(received);
        if (request === undefined) return;
        received = received.slice(request.length);
        if (request.head.includes(INFO_PATH)) {
          socket.write(reply('404 Not Found', ''));
          continue;
        }
        if (request.head.includes(SNAPSHOT_PATH)) {
          itself.serveSnapshot(socket, request);
          continue;
        }
        requests.push(request);
        itself.behave(socket, request);
      }
    });
  };
  const itself: RawServer = {
    serveSnapshot: (socket) => socket.write(reply('404 Not Found', '')),
    get port() {
      return port;
    },
    get url() {
      return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    },
    requests,
    behave,
    welcome: () => undefined,
    openSockets: () => sockets.size,
    async start() {
      server = createServer(onConnection);
      server.listen(port, host);
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
    },
    async stop() {
      if (server === undefined) return;
      const closed = once(server, 'close');
      server.close();
      server = undefined;
      for (const socket of sockets) {
        // Node leaves a socket open that is reset while its own end is being sent.
        if (socket.readableEnded) socket.destroy();
        else socket.resetAndDestroy();
      }
      await closed;
    },
    [Symbol.asyncDispose]: () => itself.stop(),
  };
  await itself.start();
  return itself;
}

function firstRequest(received: string): (RawRequest & { readonly length: number }) | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = received.slice(0, headEnd);
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (received.length < length) return undefined;
  const body = Buffer.from(received.slice(bodyStart, length), 'latin1').toString('utf8');
  return { head, body, at: systemClock.now(), length };
}

interface AskedItem {
  readonly flagKey: string;
  readonly entityId: string;
}

export function askedItems({ body }: RawRequest): readonly AskedItem[] {
  return (JSON.parse(body) as { readonly requests: readonly AskedItem[] }).requests;
}

/**
 * Returns the service's answer to a question: a variant that names the flag and the entity, so that the answer shows
 * whose it is.
 */
export function ownAnswer(flag: string, entity: string): string {
  return `${flag} for ${entity}`;
}

/** Returns the whole answer of a healthy service to a batch. */
export function goodBody(request: RawRequest, items = askedItems(request)): string {
  return JSON.stringify({ requestId: 'r', responses: items.map(answerItem) });
}

export function answerItem({ flagKey, entityId }: AskedItem): object {
  if (flagKey === '') {
    return {
      type: 'ERROR_EVALUATION_RESPONSE_TYPE',
      errorResponse: { flagKey, namespaceKey: 'default', reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
    };
  }
  return {
    type: 'VARIANT_EVALUATION_RESPONSE_TYPE',
    variantResponse: {
      match: true,
      flagKey,
      segmentKeys: ['all'],
      variantKey: ownAnswer(flagKey, entityId),
      variantAttachment: '',
      reason: 'MATCH_EVALUATION_REASON',
    },
  };
}

/** Returns a reply in the form in which it is sent. */
export function reply(
  status: string,
  body: string,
  headers: readonly string[] = ['content-type: application/json'],
): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

export const well: Behaviour = (socket, request) => {
  socket.write(reply('200 OK', goodBody(request)));
};

/** Makes a behaviour that answers with a snapshot, or with what is sent instead of one. */
export const serving = (body: string, ...headers: readonly string[]): Behaviour => {
  return (socket) => socket.write(reply('200 OK', body, ['content-type: application/json', ...headers]));
};

/** Makes a behaviour for requests for the snapshot from one for batches, which finds no questions in such a request. */
export const ofSnapshots = (behave: Behaviour): Behaviour => {
  return (socket, request) => {
    try {
      behave(socket, request);
    } catch {
      socket.destroy();
    }
  };
};
