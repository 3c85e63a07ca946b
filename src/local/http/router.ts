import type { Route, ServedRoute } from '../operations/routes.js';
import { invalid, invalidField, methodNotAllowed, notFound, notServed } from '../requests/refusal.js';

export interface FoundRoute {
  readonly route: ServedRoute;
  /** A part of the path, decoded; `''` if the route has no part with this name. */
  readonly path: (name: string) => string;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

/** The route of a request. A path with another method is a 501, any other path a 404: the service's rules. */
export function findRoute(routes: readonly Route[], method: string, pathname: string): FoundRoute {
  if (!METHODS.includes(method)) throw methodNotAllowed();
  const parts = decodedParts(pathname);
  const onPath = routes.filter((route) => matches(route, parts));
  const route = onPath.filter(isServed).find((candidate) => candidate.method === method);
  if (!route) throw onPath.length > 0 ? notServed('Method Not Allowed') : notFound('Not Found');
  const values = new Map(route.path.map((name, index) => [name, valueOf(name, parts[index])]));
  return { route, path: (name) => values.get(`:${name}`) ?? '' };
}

function isServed(route: Route): route is ServedRoute {
  return route.answers !== 'nothing';
}

/** The service decodes the path before it splits it, so an encoded slash separates parts, too. */
function decodedParts(pathname: string): readonly string[] {
  if (/%(?![0-9a-f]{2})/i.test(pathname)) throw invalid('the path has a % that encodes nothing');
  const decoded = decodedUtf8(pathname);
  // The paths of the interface may end with a slash, but `/health` may not.
  return (/^\/[^/]+\/./.test(decoded) ? decoded.replace(/\/$/, '') : decoded).split('/').slice(1);
}

function decodedUtf8(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    throw notFound('Not Found');
  }
}

function matches({ path }: Route, parts: readonly string[]): boolean {
  return (
    path.length === parts.length &&
    path.every((expected, index) => expected.startsWith(':') || expected === parts[index])
  );
}

/** Without a namespace, the default one is used. No other part may be empty. */
function valueOf(name: string, part = ''): string {
  if (part !== '' || !name.startsWith(':')) return part;
  if (name === ':namespaceKey') return 'default';
  throw invalidField(name.slice(1), 'must not be empty');
}
