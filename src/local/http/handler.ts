import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticate, Caller } from '../operations/authentication.js';
import type { ServiceCore } from '../operations/operation.js';
import { readBody } from './body.js';
import { findRoute } from './router.js';
import { type Access, routesOf } from '../operations/routes.js';
import { unauthenticated } from '../requests/refusal.js';
import { errorResponse } from './error-response.js';

/** Answers one request. Never rejects. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface HandlerOptions {
  readonly service: ServiceCore;
  readonly authenticate: Authenticate;
  /** The largest body, in bytes. */
  readonly maxBodyBytes: number;
}

/** The service as a handler: it knows nothing of ports and connections. */
export function createHandler({ service, authenticate, maxBodyBytes }: HandlerOptions): Handler {
  const routes = routesOf(service.semantics);

  const answer = async (request: IncomingMessage): Promise<unknown> => {
    const { pathname, query } = target(request.url ?? '');
    const { route, path } = findRoute(routes, request.method ?? '', pathname);
    const header = (name: string): string | undefined => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const caller = authenticate(header('authorization'), service.store.state, service.stamp.date());
    const known = admitted(route.access, caller, path('namespaceKey'));
    const body = await readBody(request, maxBodyBytes);
    return route.operation(service, { path, query, header, body, caller: known });
  };

  return async (request, response) => {
    try {
      send(response, 200, await answer(request));
    } catch (error) {
      sendError(response, error);
    }
  };
}

function target(url: string): { pathname: string; query: URLSearchParams } {
  const [pathname = '', ...query] = url.split('?');
  return { pathname, query: new URLSearchParams(query.join('?')) };
}

const NOBODY: Caller = { namespaceKey: '' };

function admitted(access: Access, caller: Caller | undefined, namespaceKey: string): Caller {
  if (access === 'open') return caller ?? NOBODY;
  if (!caller) throw unauthenticated();
  if (caller.namespaceKey === undefined || access === 'body') return caller;
  if (access === 'all' || caller.namespaceKey !== namespaceKey) throw unauthenticated();
  return caller;
}

function sendError(response: ServerResponse, error: unknown): void {
  const { status, code, message } = errorResponse(error);
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  send(response, status, { code, message, details: [] });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': text.length });
  response.end(text);
}
