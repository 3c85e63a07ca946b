import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownAddress } from './own-address.fixture.js';

/** A server that does what a test asks of it. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** The requests seen so far, in order. */
  readonly requests: readonly SeenRequest[];
  /** Resolves with the number of connections that are open. */
  readonly connections: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request after its body was read. To hold the request, return a promise or never answer. */
export type Script = (request: SeenRequest, response: ServerResponse) => unknown;

/** The path where a service with snapshots serves them. */
export const SNAPSHOT_PATH = '/internal/v1/evaluation/snapshot/namespace/';

/**
 * The path where Flipt says its version. A service that implements only the interface document does not know the path.
 */
export const INFO_PATH = '/meta/info';

const unknown: Script = (_, response) => response.writeHead(404).end();

/**
 * It implements the interface document only: to a watch it answers that there are no snapshots, and counts no request,
 * unless `snapshots` says what to answer. Nor does it count the question for its version, which `info` answers.
 *
 * @param url where a server was that it replaces. Default: an address of its own.
 */
export async function scriptedServer(
  script: Script,
  url?: string,
  snapshots?: Script,
  info?: Script,
): Promise<ScriptedServer> {
  const { hostname: host, port } = new URL(url ?? `http://${ownAddress()}`);
  const requests: SeenRequest[] = [];
  const listener: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const seen: SeenRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      if (seen.path.endsWith(INFO_PATH)) {
        void (info ?? unknown)(seen, response);
        return;
      }
      const isWatch = seen.path.includes(SNAPSHOT_PATH);
      if (isWatch && snapshots === undefined) {
        response.writeHead(404).end();
        return;
      }
      requests.push(seen);
      void (isWatch ? snapshots : script)?.(seen, response);
    });
  };
  const server = createServer(listener);
  server.listen(Number(port), host);
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => {
          if (error) reject(error);
          else resolve(count);
        });
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export interface Item {
  readonly namespaceKey: string;
  readonly flagKey: string;
  readonly entityId: string;
  readonly context: Readonly<Record<string, string>>;
}

/** Returns the questions in a batch's body. */
export function itemsOf({ body }: Pick<SeenRequest, 'body'>): readonly Item[] {
  return (JSON.parse(body) as { readonly requests: readonly Item[] }).requests;
}

export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Makes a script that answers each question of a batch with the result of `answer`. */
export function answering(answer: (item: Item) => object): Script {
  return (request, response) => {
    answerJson(response, { requestId: '', responses: itemsOf(request).map(answer) });
  };
}

/** These functions make the service's answer items. */
export const item = {
  boolean: (flagKey: string, enabled = true, more: object = {}) => ({
    type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
    booleanResponse: { flagKey, enabled, reason: 'DEFAULT_EVALUATION_REASON', segmentKeys: [], ...more },
  }),
  variant: (flagKey: string, variantKey: string, more: object = {}) => ({
    type: 'VARIANT_EVALUATION_RESPONSE_TYPE',
    variantResponse: {
      flagKey,
      match: true,
      segmentKeys: ['everyone'],
      reason: 'MATCH_EVALUATION_REASON',
      variantKey,
      variantAttachment: '',
      ...more,
    },
  }),
  missing: (flagKey: string) => ({
    type: 'ERROR_EVALUATION_RESPONSE_TYPE',
    errorResponse: { flagKey, namespaceKey: 'default', reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
  }),
} as const;

/** Answers an empty flag key, which never exists, as the provider's health check expects. */
export function orMissing(answer: (item: Item) => object): (item: Item) => object {
  return (asked) => (asked.flagKey === '' ? item.missing('') : answer(asked));
}
