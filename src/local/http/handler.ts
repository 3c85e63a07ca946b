import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, ServiceCore } from '../operations/operation.js';
import type { Authenticate } from '../operations/authentication.js';
import { type Access, findRoute, routesOf, type Route } from '../operations/routes.js';
import { WEB_PAGE_ROUTES } from '../web-page/page-routes.js';
import { parseBody } from '../parsing/json-body.js';
import { Message } from '../parsing/proto-message.js';
import { Query } from '../parsing/query.js';
import { invalid, invalidField, notJson, tooLarge, unauthenticated } from '../parsing/refused-request.js';
import { originCheck } from './origin-check.js';
import { send, sendError } from './responses.js';

/**
 * A function that answers one HTTP request, and that never rejects. If the answer is a stream, the stream ends when the
 * signal `ending` is aborted.
 */
export type Handler = ReturnType<typeof createHandler>;

/**
 * Returns a function that answers HTTP requests. The function that answers requests does not open ports or accept
 * connections; `listen` in listener.ts does. Clients can address the service by loopback names and addresses, such as
 * `localhost`, and by the hosts in `allowedHosts`.
 */
export function createHandler(
  service: ServiceCore,
  authenticate: Authenticate,
  allowedHosts: readonly string[],
  maxBodyBytes: number,
) {
  const checkOrigin = originCheck(allowedHosts);
  const routes = [...routesOf(service.semantics), ...WEB_PAGE_ROUTES];

  return async (request: IncomingMessage, response: ServerResponse, ending: AbortSignal): Promise<void> => {
    try {
      const { pathname, query, host } = targetOf(request);
      checkOrigin({ host, origin: request.headers.origin });
      const { route, operation, path, empty } = findRoute(routes, request.method ?? '', pathname);
      const header = (name: string): string | undefined => request.headers[name]?.toString();
      const sender = authenticate(header('authorization'), service.store.state, service.stamp.date());
      const caller = admitted(route.access, sender, path.namespaceKey);
      const text = await readText(request, route, maxBodyBytes);
      const message = Message.of(text === '' ? undefined : await parseBody(text));
      if (empty !== undefined) throw invalidField(empty, 'must not be empty');
      const routed = { path, query, header, message, text, caller };
      await send(response, await operation(service, routed), ending);
    } catch (error) {
      sendError(response, error);
    }
  };
}

/**
 * Returns the path, the query and the host of a request. The host can contain a port, and is `undefined` if the request
 * names no host. If the request line contains a whole URL, as in a request to a proxy, the host of that URL overrides
 * the header `Host`, as HTTP requires.
 */
function targetOf({ url = '', headers }: IncomingMessage) {
  const [scheme] = /^https?:\/\//i.exec(url) ?? [];
  const behind = url.slice(scheme?.length);
  const end = scheme === undefined ? 0 : `${behind}/`.search(/[/?#]/);
  const [pathname = '', ...query] = behind.slice(end).split('?');
  const host = scheme === undefined ? headers.host : behind.slice(0, end);
  return { pathname, query: new Query(query.join('?')), host };
}

const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/i;

/** Reads the body of a request as text. For a GET request, `readText` resolves with `''` instead of the body. */
async function readText(request: IncomingMessage, { method, onlyJson }: Route, maxBytes: number) {
  const { origin, 'content-type': type } = request.headers;
  // Before a page of another site can send JSON or a PUT request, the browser asks the service for permission. The
  // browser does not ask before a POST request without a Content-Type, so a route that accepts only JSON refuses a POST
  // request that comes from a page and has no Content-Type.
  const isUnasked = type === undefined && method === 'POST' && origin !== undefined;
  const isOther = type !== undefined && !JSON_TYPE.test(type);
  if (onlyJson && method !== 'GET' && (isUnasked || isOther)) throw notJson(type);
  const body = await requestText(request, maxBytes);
  return method === 'GET' ? '' : body;
}

/**
 * Reads the whole body of a request as text. As soon as more than `maxBytes` are announced or received, `requestText`
 * rejects with an error that the client gets as a 413.
 */
async function requestText(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw larger(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else reject(larger(maxBytes));
    });
    request.on('end', () => {
      resolve(Buffer.concat(chunks).toString());
    });
    request.on('error', () => {
      reject(invalid('the request ended before its body did'));
    });
  });
}

function larger(bytes: number): Error {
  return tooLarge(`the request's body is larger than ${bytes} bytes`);
}

const NOBODY: Caller = { namespaceKey: '' };

function admitted(access: Access, caller: Caller | undefined, namespaceKey: string): Caller {
  if (access === 'open') return caller ?? NOBODY;
  if (!caller) throw unauthenticated();
  if (caller.namespaceKey === undefined || access === 'body') return caller;
  if (access === 'all' || caller.namespaceKey !== namespaceKey) throw unauthenticated();
  return caller;
}
