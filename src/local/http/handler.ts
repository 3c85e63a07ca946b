import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticate, Caller } from '../operations/authentication.js';
import type { ServiceCore } from '../operations/operation.js';
import { readBody } from './request-body.js';
import { findRoute } from './router.js';
import { type Access, routesOf } from '../operations/routes.js';
import { unauthenticated } from '../requests/refusal.js';
import { sendEvents } from './event-stream.js';
import { sendDocument, sendError, sendJson } from './responses.js';

/** Answers one request; an answer without end stops at `ending`. Never rejects. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  ending: AbortSignal,
) => Promise<void>;

export interface HandlerOptions {
  readonly service: ServiceCore;
  readonly authenticate: Authenticate;
  /** The largest body, in bytes. */
  readonly maxBodyBytes: number;
}

/** The service as a handler: it knows nothing of ports and connections. */
export function createHandler({ service, authenticate, maxBodyBytes }: HandlerOptions): Handler {
  const routes = routesOf(service.semantics);

  const answer: Handler = async (request, response, ending) => {
    const { pathname, query } = target(request.url ?? '');
    const { route, path } = findRoute(routes, request.method ?? '', pathname);
    const header = (name: string): string | undefined => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const sender = authenticate(header('authorization'), service.store.state, service.stamp.date());
    const caller = admitted(route.access, sender, path('namespaceKey'));
    const body = await readBody(request, maxBodyBytes);
    const routed = { path, query, header, body, caller };
    switch (route.answers) {
      case 'json':
        sendJson(response, 200, await route.operation(service, routed));
        return;
      case 'document': {
        const { 'if-none-match': ifNoneMatch, 'accept-encoding': acceptEncoding } = request.headers;
        await sendDocument(response, route.operation(service, routed), {
          ifNoneMatch,
          acceptEncoding: acceptEncoding?.toString(),
        });
        return;
      }
      case 'events':
        sendEvents(response, route.operation(service, routed), ending);
    }
  };

  return async (request, response, ending) => {
    try {
      await answer(request, response, ending);
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
