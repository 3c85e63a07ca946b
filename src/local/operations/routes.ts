import type { Semantics } from '../../engine/features.js';
import { evaluateBatch } from './evaluate-batch.js';
import type { Operation } from './operation.js';
import { createRule, listRules } from './manage-rules.js';
import { createSegment, getSegment, listSegments, updateSegment } from './manage-segments.js';
import { createToken, getToken } from './manage-tokens.js';
import { updateVariant } from './manage-variants.js';

/**
 * Who may call a route where tokens are required: `open` everybody; `namespace` those who may use the namespace in
 * the path; `all` those who may use every namespace; `body` any valid token, and the operation checks the rest.
 */
export type Access = 'open' | 'namespace' | 'all' | 'body';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Its parts; one that begins with `:` takes any text and gives it that name. */
  readonly path: readonly string[];
  readonly access: Access;
  readonly operation: Operation;
}

const segments = '/api/v1/namespaces/:namespaceKey/segments';
const flag = '/api/v1/namespaces/:namespaceKey/flags/:flagKey';

const evaluation: readonly Route[] = [
  route('GET', '/health', 'open', () => ({ status: 'SERVING' })),
  route('POST', '/evaluate/v1/batch', 'body', evaluateBatch),
];

const management: readonly Route[] = [
  route('POST', '/auth/v1/method/token', 'all', createToken),
  route('GET', '/auth/v1/tokens/:id', 'all', getToken),
  route('GET', `${flag}/rules`, 'namespace', listRules),
  route('POST', `${flag}/rules`, 'namespace', createRule),
  route('PUT', `${flag}/variants/:id`, 'namespace', updateVariant),
  route('GET', segments, 'namespace', listSegments),
  route('POST', segments, 'namespace', createSegment),
  route('GET', `${segments}/:key`, 'namespace', getSegment),
  route('PUT', `${segments}/:key`, 'namespace', updateSegment),
];

/** v2 serves evaluation only. */
export function routesOf(semantics: Semantics): readonly Route[] {
  return semantics === 'v1' ? [...evaluation, ...management] : evaluation;
}

function route(method: Route['method'], path: string, access: Access, operation: Operation): Route {
  return { method, path: path.split('/').slice(1), access, operation };
}
