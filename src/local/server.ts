import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { quoted, unlessItThrows } from '../base/text/describe.js';
import { isLoopback } from '../options/address.js';
import type { Service, StreamAnswer, TextAnswer } from './operation.js';
import { Refusal, GRPC_CODES } from './request.js';
import { router } from './routes.js';
import type { Store } from './store.js';
import { callerOf } from './tokens.js';

export interface ServerOptions {
  readonly port: number;
  readonly host: string;
  readonly allowHosts: readonly string[];
  readonly bootstrapToken: string | undefined;
}

/** The origin of an address that names none. */
const UNKNOWN = 'http://unknown';
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const CLOSE_MS = 1_500;

/** Rejects with Node's error if the port is not free. */
export async function serve(service: Service, options: ServerOptions) {
  const route = router(service.semantics);
  const allowed = hostCheck([options.host, ...options.allowHosts]);
  const limits = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };
  const server = createServer(limits);
  const ending = new AbortController();
  // Each open stream listens to the signal.
  setMaxListeners(0, ending.signal);
  let requests = 0;
  let inFlight = 0;

  const answer = async (request: IncomingMessage) => {
    const { method = '', url = '', headers } = request;
    // A base alone would read the path `//name/` as another host.
    const target = unlessItThrows(() => new URL(url.startsWith('/') ? UNKNOWN + url : url, UNKNOWN));
    if (!target) throw new Refusal(400, 'the address of the request is malformed');
    // An absolute address, as for a proxy, counts more than the header.
    allowed(target.hostname === 'unknown' ? headers.host : target.host, headers.origin);
    const caller = callerOf(headers.authorization, service.store.state, options.bootstrapToken);
    const { operation, path } = route(method, target.pathname, caller);
    // A page of another site may send other types, and a POST without a type, before the browser asks us.
    if (method !== 'GET' && !target.pathname.startsWith('/evaluate/')) requireJson(request);
    const text = await bodyOf(request);
    const header = (name: string) => headers[name]?.toString();
    return operation(service, {
      path,
      query: target.searchParams,
      header,
      text: method === 'GET' ? '' : text,
      caller,
    });
  };

  server.on('request', (request, response) => {
    requests++;
    inFlight++;
    response.once('close', () => {
      inFlight--;
      if (ending.signal.aborted && inFlight === 0) server.closeAllConnections();
    });
    const send = (given: TextAnswer | StreamAnswer) => {
      if ('next' in given) sendStream(response, given, service.store, ending.signal);
      else sendText(response, given);
    };
    answer(request)
      .catch(errorAnswer)
      .then(send)
      .catch(() => response.destroy());
  });

  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    ending.abort();
    if (inFlight === 0) server.closeAllConnections();
    const late = setTimeout(server.closeAllConnections.bind(server), CLOSE_MS);
    await closed;
    clearTimeout(late);
  };

  server.listen(options.port, options.host);
  await once(server, 'listening');
  let closing: Promise<void> | undefined;
  return {
    url: urlOf(server.address()),
    requests: () => requests,
    close: () => (closing ??= close()),
  };
}

function urlOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/**
 * Locks out pages of other sites, which could send requests through a visitor's browser. `Origin` and `Host` must
 * both be allowed, because another site can point its own name at this machine.
 */
function hostCheck(names: readonly string[]) {
  const hosts = new Set(names.map(hostname));
  const anyAddress = hosts.has('0.0.0.0') || hosts.has('::');
  const isOurs = (name: string) => isLoopback(name) || hosts.has(name);
  return (host: string | undefined, origin: string | undefined): void => {
    const addressed = host === undefined ? undefined : hostname(host);
    if (addressed !== undefined && !isOurs(addressed) && !(anyAddress && isIP(addressed) !== 0)) {
      throw new Refusal(
        403,
        `the host ${quoted(addressed)} is not allowed; add it to allowHosts (--allow-host)`,
      );
    }
    const page = origin === undefined ? undefined : hostname(origin.replace(/^https?:\/\//i, ''));
    if (page !== undefined && !isOurs(page) && page !== addressed) {
      const from = quoted(String(origin));
      throw new Refusal(
        403,
        `requests of pages from ${from} are not allowed; add their host to allowHosts (--allow-host)`,
      );
    }
  };
}

function hostname(host: string): string {
  const bracketed = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1];
  return (bracketed ?? (isIP(host) === 6 ? host : host.replace(/:\d*$/, ''))).toLowerCase();
}

function requireJson({ method, headers: { origin, 'content-type': type } }: IncomingMessage): void {
  const isUnasked = type === undefined && method === 'POST' && origin !== undefined;
  const isOther = type !== undefined && !/^\s*application\/json\s*(?:;|$)/i.test(type);
  if (!isUnasked && !isOther) return;
  throw new Refusal(
    415,
    `expected Content-Type application/json, got ${type === undefined ? 'none' : quoted(type)}`,
  );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A body that is too large is still read, so that the client can read the answer.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_BODY_BYTES)
    throw new Refusal(413, `the request's body is larger than ${MAX_BODY_BYTES} bytes`);
  return Buffer.concat(chunks).toString();
}

/** An unexpected error's message might quote what the client must not see. */
function errorAnswer(error: unknown): TextAnswer {
  const { status, message } = error instanceof Refusal ? error : new Refusal(500, 'internal error');
  const headers = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  return { status, headers, text: JSON.stringify({ code: GRPC_CODES[status], message, details: [] }) };
}

function sendText(response: ServerResponse, { text, status = 200, headers }: TextAnswer): void {
  const body = Buffer.from(text);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...headers,
  });
  response.end(body);
}

/** As in Flipt, the headers come with the first event. A client that does not read misses events. */
function sendStream(
  response: ServerResponse,
  { contentType, next }: StreamAnswer,
  store: Store,
  ending: AbortSignal,
) {
  const send = () => {
    if (response.writableNeedDrain) return;
    const text = next();
    if (text === undefined) return;
    if (!response.headersSent)
      response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-cache' });
    response.write(text);
  };
  const end = () => response.destroy();
  const stop = store.onChange(send);
  response.on('drain', send);
  ending.addEventListener('abort', end);
  // Before Node 24, a response that waits behind another one on its connection emits no `close`.
  response.req.socket.once('close', () => {
    stop();
    ending.removeEventListener('abort', end);
  });
  send();
}
