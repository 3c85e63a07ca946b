import type { Semantics } from '../../engine/features.js';
import { evaluateBatch } from './evaluate-batch.js';
import { getSnapshot, streamSnapshot } from './get-snapshot.js';
import type {
  AssetOperation,
  DocumentOperation,
  EventOperation,
  Operation,
  TextOperation,
} from './operation.js';
import { createRule, listRules } from './manage-rules.js';
import { createSegment, getSegment, listSegments, updateSegment } from './manage-segments.js';
import { createToken, getToken } from './manage-tokens.js';
import { updateVariant } from './manage-variants.js';
import { overrideFlag, restoreFlag } from './override-flag.js';

/**
 * Who may call a route where tokens are required: `open` everybody; `namespace` those who may use the namespace in
 * the path; `all` those who may use every namespace; `body` any valid token, and the operation checks the rest.
 */
export type Access = 'open' | 'namespace' | 'all' | 'body';

interface Place {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Its parts; one that begins with `:` takes any text and gives it that name. */
  readonly path: readonly string[];
  readonly access: Access;
  /** Whether a body of another Content-Type than JSON is refused: browsers send those to any site without asking. */
  readonly onlyJson: boolean;
}

export type ServedRoute = Place &
  (
    | { readonly answers: 'json'; readonly operation: Operation }
    | { readonly answers: 'json-text'; readonly operation: TextOperation }
    | { readonly answers: 'document'; readonly operation: DocumentOperation }
    | { readonly answers: 'events'; readonly operation: EventOperation }
    | { readonly answers: 'asset'; readonly operation: AssetOperation }
  );

/** A path that Flipt serves and this service does not. */
interface UnservedRoute {
  readonly path: readonly string[];
  readonly answers: 'nothing';
}

export type Route = ServedRoute | UnservedRoute;

const segments = '/api/v1/namespaces/:namespaceKey/segments';
const flag = '/api/v1/namespaces/:namespaceKey/flags/:flagKey';
const overridden = '/local/v1/namespaces/:namespaceKey/flags/:flagKey';
const client = '/client/v2/environments/:environment/namespaces/:namespaceKey';

const evaluation: readonly Route[] = [
  json('GET', '/health', 'open', () => ({ status: 'SERVING' })),
  {
    ...at('POST', '/evaluate/v1/batch', 'body'),
    answers: 'json-text',
    operation: evaluateBatch,
    // The service does not look at it.
    onlyJson: false,
  },
  {
    ...at('GET', '/internal/v1/evaluation/snapshot/namespace/:namespaceKey', 'namespace'),
    answers: 'document',
    operation: getSnapshot,
  },
];

const management: readonly Route[] = [
  json('POST', '/auth/v1/method/token', 'all', createToken),
  json('GET', '/auth/v1/tokens/:id', 'all', getToken),
  { path: partsOf('/auth/v1/tokens'), answers: 'nothing' },
  json('GET', `${flag}/rules`, 'namespace', listRules),
  json('POST', `${flag}/rules`, 'namespace', createRule),
  json('PUT', `${flag}/variants/:id`, 'namespace', updateVariant),
  { path: partsOf(`${flag}/variants`), answers: 'nothing' },
  json('GET', segments, 'namespace', listSegments),
  json('POST', segments, 'namespace', createSegment),
  json('GET', `${segments}/:key`, 'namespace', getSegment),
  json('PUT', `${segments}/:key`, 'namespace', updateSegment),
];

/** The environment in their path is without effect, as with Flipt: the one in the header counts. */
const streaming: readonly Route[] = [
  { ...at('GET', `${client}/snapshot`, 'namespace'), answers: 'document', operation: getSnapshot },
  { ...at('GET', `${client}/stream`, 'namespace'), answers: 'events', operation: streamSnapshot },
];

/** For tests in other processes. */
const overriding: readonly Route[] = [
  json('PUT', overridden, 'namespace', overrideFlag),
  json('DELETE', overridden, 'namespace', restoreFlag),
];

/** v2 serves no management, v1 no stream. */
export function routesOf(semantics: Semantics): readonly Route[] {
  return [...evaluation, ...overriding, ...(semantics === 'v1' ? management : streaming)];
}

export function at(method: Place['method'], path: string, access: Access): Place {
  return { method, path: partsOf(path), access, onlyJson: true };
}

export function json(method: Place['method'], path: string, access: Access, operation: Operation): Route {
  return { ...at(method, path, access), answers: 'json', operation };
}

function partsOf(path: string): readonly string[] {
  return path.split('/').slice(1);
}
