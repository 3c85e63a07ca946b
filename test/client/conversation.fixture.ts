import { expect } from 'vitest';
import type { FliptClient } from '../../src/client/index.js';
import type { Step } from '../contract/conversation.fixture.js';

export type ClientCall = (client: FliptClient) => Promise<unknown>;

/** Makes a call of the typed client from a recorded step; `undefined` if the client has no such call. */
export function clientCall({ method, path, body, rawBody, headers }: Step): ClientCall | undefined {
  if (rawBody !== undefined || headers !== undefined) return undefined;
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const query = Object.fromEntries(searchParams) as Record<string, never>;
  const route = ROUTES.find((one) => one.method === method && one.pattern.test(pathname));
  const parts = route?.pattern.exec(pathname)?.slice(1).map(decodeURIComponent) ?? [];
  return route && ((client) => route.call(client, parts, body as never, query));
}

interface ClientRoute {
  readonly method: string;
  readonly pattern: RegExp;
  readonly call: (
    client: FliptClient,
    parts: readonly string[],
    body: never,
    query: Record<string, never>,
  ) => Promise<unknown>;
}

const ROUTES: readonly ClientRoute[] = [
  route('POST', '/auth/v1/method/token', ({ tokens }, _, body) => tokens.create(body)),
  route('GET', '/auth/v1/tokens/*', ({ tokens }, [id = '']) => tokens.get(id)),
  route('POST', '/evaluate/v1/batch', ({ evaluation }, _, { requests = [], ...options }: BatchBody) =>
    evaluation.batch(requests, options),
  ),
  route('GET', '/api/v1/namespaces/*/flags/*/rules', ({ rules }, [namespace = '', flag = ''], _, query) =>
    rules.list(namespace, flag, query),
  ),
  route('POST', '/api/v1/namespaces/*/flags/*/rules', ({ rules }, [namespace = '', flag = ''], body) =>
    rules.create(namespace, flag, body),
  ),
  route(
    'PUT',
    '/api/v1/namespaces/*/flags/*/variants/*',
    ({ variants }, [namespace = '', flag = '', id = ''], body) => variants.update(namespace, flag, id, body),
  ),
  route('GET', '/api/v1/namespaces/*/segments', ({ segments }, [namespace = ''], _, query) =>
    segments.list(namespace, query),
  ),
  route('POST', '/api/v1/namespaces/*/segments', ({ segments }, [namespace = ''], body) =>
    segments.create(namespace, body),
  ),
  route('GET', '/api/v1/namespaces/*/segments/*', ({ segments }, [namespace = '', key = ''], _, query) =>
    segments.get(namespace, key, query),
  ),
  route('PUT', '/api/v1/namespaces/*/segments/*', ({ segments }, [namespace = '', key = ''], body) =>
    segments.update(namespace, key, body),
  ),
];

type BatchBody = { readonly requests?: readonly never[] } & Record<string, never>;

function route(method: string, path: string, call: ClientRoute['call']): ClientRoute {
  return { method, pattern: new RegExp(`^${path.replaceAll('*', '([^/]+)')}$`), call };
}

const FREE = new Set(['<id>', '<timestamp>', '<token>', '<page>', '<any>']);

/** Makes a pattern of a recorded body, which leaves out what differs from run to run. */
export function pattern(recorded: unknown): unknown {
  if (typeof recorded === 'string' && FREE.has(recorded)) return expect.any(String);
  if (recorded === '<duration>') return expect.any(Number);
  if (Array.isArray(recorded)) return recorded.map(pattern);
  if (typeof recorded !== 'object' || recorded === null) return recorded;
  return Object.fromEntries(Object.entries(recorded).map(([name, member]) => [name, pattern(member)]));
}
