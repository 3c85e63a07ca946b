import { NO_PARTS, type PathParts } from '../operations/operation.js';
import type { Route } from '../operations/routes.js';
import { invalid, methodNotAllowed, notFound, notServed } from '../requests/refused-request.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

/** The route of a request. A path with another method is a 501, any other path a 404: the service's rules. */
export function findRoute(routes: readonly Route[], method: string, pathname: string) {
  if (/%(?![0-9a-f]{2})/i.test(pathname)) throw invalid('the path has a % that encodes nothing');
  if (!METHODS.includes(method)) throw methodNotAllowed();
  const parts = decodedParts(pathname);
  const onPath = routes.filter((route) => beginsAs(route, pathname) && matches(route, parts));
  const route = onPath.find((candidate) => candidate.method === method);
  const operation = route?.operation;
  if (!operation) throw onPath.length > 0 ? notServed('Method Not Allowed') : notFound('Not Found');
  const named = route.path.flatMap((name, index) =>
    name.startsWith(':') ? [[name.slice(1), valueOf(name, parts[index])] as const] : [],
  );
  const path: PathParts = { ...NO_PARTS, ...Object.fromEntries(named) };
  /** The name of a part that is empty and must not be. */
  const empty = named.find(([, value]) => value === '')?.[0];
  return { route, operation, path, empty };
}

/** The service decodes the path before it splits it, so an encoded slash separates parts, too. */
function decodedParts(pathname: string): readonly string[] {
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

/** The service finds `/api/v1` before it decodes the path, and what follows after that. */
function beginsAs({ path }: Route, pathname: string): boolean {
  return `${pathname}/`.startsWith(`/${path.slice(0, 2).join('/')}/`);
}

function matches({ path }: Route, parts: readonly string[]): boolean {
  return (
    path.length === parts.length &&
    path.every((expected, index) => expected.startsWith(':') || expected === parts[index])
  );
}

/** Without a namespace, the default one is used. */
function valueOf(name: string, part = ''): string {
  return part === '' && name === ':namespaceKey' ? 'default' : part;
}
