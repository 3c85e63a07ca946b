import type { Route } from '../operations/routes.js';
import { invalid, notFound, notServed } from '../requests/refusal.js';

export interface FoundRoute {
  readonly route: Route;
  readonly path: (name: string) => string;
}

/** The route of a request. A path with another method is a 501, any other path a 404: as the service has it. */
export function findRoute(routes: readonly Route[], method: string, pathname: string): FoundRoute {
  const parts = decodedParts(pathname);
  const onPath = routes.filter((route) => matches(route, parts));
  const route = onPath.find((candidate) => candidate.method === method);
  if (!route) throw onPath.length > 0 ? notServed('Method Not Allowed') : notFound('Not Found');
  return { route, path: (name) => parts[route.path.indexOf(`:${name}`)] ?? '' };
}

function decodedParts(pathname: string): readonly string[] {
  const parts = pathname.replace(/\/$/, '').split('/').slice(1);
  try {
    return parts.map(decodeURIComponent);
  } catch {
    throw invalid('the path is not encoded as UTF-8');
  }
}

function matches({ path }: Route, parts: readonly string[]): boolean {
  return (
    path.length === parts.length &&
    path.every((expected, index) =>
      expected.startsWith(':') ? parts[index] !== '' : expected === parts[index],
    )
  );
}
