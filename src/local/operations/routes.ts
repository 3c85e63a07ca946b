import type { Semantics } from '../../engine/features.js';
import { evaluateBatch, evaluateOne } from './evaluate-batch.js';
import { getSnapshot, streamSnapshot } from './get-snapshot.js';
import { createRule, listFlags, listRules, updateVariant } from './manage-flags.js';
import { createSegment, getSegment, listSegments, updateSegment } from './manage-segments.js';
import { NO_PARTS, type Operation, type PathParts } from './operation.js';
import { overrideFlag, restoreFlag } from './override-flag.js';
import { createToken, getToken } from './authentication.js';
import { hasStream, isV2 } from '../../engine/version-differences.js';
import { unlessItThrows } from '../../base/text/describe.js';
import { invalid, methodNotAllowed, notFound, notServed } from '../parsing/refused-request.js';

/**
 * Who can use a route if the service requires tokens. `open`: everybody. `namespace`: senders whose token is for the
 * namespace in the path or for all namespaces. `all`: senders whose token is for all namespaces. `body`: senders with
 * any valid token; if the operation concerns certain namespaces, it checks whether the sender can use them.
 */
export type Access = 'open' | 'namespace' | 'all' | 'body';

export interface Route {
  readonly method: string;
  /**
   * The parts of the route's path. A part that begins with `:`, such as `:flagKey`, matches any text, and operations
   * get this text under the name of the part.
   */
  readonly path: readonly string[];
  readonly access: Access;
  /**
   * The operation that answers the request. The member is `undefined` for a route that Flipt has, but that this service
   * does not offer.
   */
  readonly operation: Operation | undefined;
  /**
   * Whether the Content-Type of a body must be JSON. The service checks the Content-Type because a browser lets any
   * page send some types other than JSON to any site, without asking that site first.
   */
  readonly onlyJson: boolean;
}

const segments = '/api/v1/namespaces/:namespaceKey/segments';
const flags = '/api/v1/namespaces/:namespaceKey/flags';
const flag = `${flags}/:flagKey`;
const overridden = '/local/v1/namespaces/:namespaceKey/flags/:flagKey';
const client = '/client/v2/environments/:environment/namespaces/:namespaceKey';

/** For each version of the evaluation rules, the release of Flipt that `GET /meta/info` names. */
const RELEASES: Readonly<Record<Semantics, string>> = { v1: 'v1.61.1', 'v2.8': 'v2.8.0', v2: 'v2.11.0' };

/**
 * GET /meta/info answers with the version of Flipt, because the provider chooses its evaluation rules by this version.
 */
const getInfo: Operation = ({ semantics }) => {
  const build = { version: RELEASES[semantics], isRelease: true };
  return { json: isV2(semantics) ? { build } : build };
};

const evaluation: readonly Route[] = [
  route('GET /health', 'open', () => ({ json: { status: 'SERVING' } })),
  // Flipt ignores the Content-Type of a request for an evaluation, so the next three routes also accept other types
  // than JSON.
  { ...route('POST /evaluate/v1/batch', 'body', evaluateBatch), onlyJson: false },
  { ...route('POST /evaluate/v1/boolean', 'body', evaluateOne('boolean')), onlyJson: false },
  { ...route('POST /evaluate/v1/variant', 'body', evaluateOne('variant')), onlyJson: false },
  route('GET /meta/info', 'body', getInfo),
  route('GET /internal/v1/evaluation/snapshot/namespace/:namespaceKey', 'namespace', getSnapshot),
];

const management: readonly Route[] = [
  route('POST /auth/v1/method/token', 'all', createToken),
  route('GET /auth/v1/tokens/:id', 'all', getToken),
  route('GET /auth/v1/tokens', 'open'),
  route(`GET ${flags}`, 'namespace', listFlags),
  route(`GET ${flag}/rules`, 'namespace', listRules),
  route(`POST ${flag}/rules`, 'namespace', createRule),
  route(`PUT ${flag}/variants/:id`, 'namespace', updateVariant),
  route(`GET ${flag}/variants`, 'open'),
  route(`GET ${segments}`, 'namespace', listSegments),
  route(`POST ${segments}`, 'namespace', createSegment),
  route(`GET ${segments}/:key`, 'namespace', getSegment),
  route(`PUT ${segments}/:key`, 'namespace', updateSegment),
];

/**
 * As in Flipt, the environment in a path such as `/client/v2/environments/default` has no effect; only the environment
 * in the request's header counts.
 */
const streaming: readonly Route[] = [
  route(`GET ${client}/snapshot`, 'namespace', getSnapshot),
  route(`GET ${client}/stream`, 'namespace', streamSnapshot),
];

/** The web page, and tests that run in another process than the service, use these routes to override flags. */
const overriding: readonly Route[] = [
  route(`PUT ${overridden}`, 'namespace', overrideFlag),
  route(`DELETE ${overridden}`, 'namespace', restoreFlag),
];

/**
 * Returns the routes of the service for a version of Flipt. The routes that manage flags, segments and tokens are those
 * of Flipt v1, and only Flipt v2 has a stream of changes.
 */
export function routesOf(semantics: Semantics): readonly Route[] {
  return [...evaluation, ...overriding, ...(hasStream(semantics) ? streaming : management)];
}

/** Creates a route. `where` has the method and the path, such as `GET /health`. */
export function route(where: string, access: Access, operation?: Operation): Route {
  const [method = '', path = ''] = where.split(' ');
  return { method, path: path.split('/').slice(1), access, operation, onlyJson: true };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

/**
 * Returns the route that answers a request. As in Flipt, the client gets a 501 if the path exists only with another
 * method, and a 404 if no route has the path.
 */
export function findRoute(routes: readonly Route[], method: string, pathname: string) {
  if (/%(?![0-9a-f]{2})/i.test(pathname)) throw invalid('the path has a % that encodes nothing');
  if (!METHODS.includes(method)) throw methodNotAllowed();
  const parts = decodedParts(pathname);
  const onPath = routes.filter((route) => isOn(route, pathname, parts));
  const route = onPath.find((candidate) => candidate.method === method);
  const operation = route?.operation;
  if (!operation) throw onPath.length > 0 ? notServed('Method Not Allowed') : notFound('Not Found');
  const named = route.path.flatMap((name, index) =>
    name.startsWith(':') ? [[name.slice(1), valueOf(name, parts[index])] as const] : [],
  );
  const path: PathParts = { ...NO_PARTS, ...Object.fromEntries(named) };
  /** The name of the first variable part of the path that is empty, or `undefined` if no part is empty. */
  const empty = named.find(([, value]) => value === '')?.[0];
  return { route, operation, path, empty };
}

/**
 * Returns the decoded parts of a path. Flipt decodes the path before it splits the path into parts, so an encoded slash
 * separates parts, too.
 */
function decodedParts(pathname: string): readonly string[] {
  const decoded = unlessItThrows(() => decodeURIComponent(pathname));
  if (decoded === undefined) throw notFound('Not Found');
  // As in Flipt, a path of several parts can end with a slash, but a path of one part, such as `/health`, cannot.
  return (/^\/[^/]+\/./.test(decoded) ? decoded.replace(/\/$/, '') : decoded).split('/').slice(1);
}

/**
 * Returns whether the request's path belongs to the route. Flipt compares the first two parts, such as `/api/v1`,
 * before it decodes the path, and the rest of the path afterwards.
 */
function isOn({ path }: Route, pathname: string, parts: readonly string[]): boolean {
  return (
    `${pathname}/`.startsWith(`/${path.slice(0, 2).join('/')}/`) &&
    path.length === parts.length &&
    path.every((expected, index) => expected.startsWith(':') || expected === parts[index])
  );
}

/** Returns the text of a variable part of the path. An empty namespace means `default`. */
function valueOf(name: string, part = ''): string {
  return part === '' && name === ':namespaceKey' ? 'default' : part;
}
