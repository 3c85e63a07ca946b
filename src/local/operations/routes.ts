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
 * Who may call a route if tokens are required. `open`: everybody. `namespace`: those who may use the namespace in
 * the path. `all`: those who may use every namespace. `body`: those with a valid token; the operation checks the rest.
 */
export type Access = 'open' | 'namespace' | 'all' | 'body';

interface Place {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The parts of the path. A part that begins with `:` matches any text and names it. */
  readonly path: readonly string[];
  readonly access: Access;
  /** Whether a body must be JSON by its Content-Type: browsers send other types to any site without asking. */
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
    // The service ignores the Content-Type here.
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

/** As in Flipt, the environment in the path has no effect. The one in the header counts. */
const streaming: readonly Route[] = [
  { ...at('GET', `${client}/snapshot`, 'namespace'), answers: 'document', operation: getSnapshot },
  { ...at('GET', `${client}/stream`, 'namespace'), answers: 'events', operation: streamSnapshot },
];

/** For tests that run in another process. */
const overriding: readonly Route[] = [
  json('PUT', overridden, 'namespace', overrideFlag),
  json('DELETE', overridden, 'namespace', restoreFlag),
];

/** Only v1 has management, and only v2 has a stream. */
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
