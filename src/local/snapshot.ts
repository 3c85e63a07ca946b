import { createHash } from 'node:crypto';
import type { NamespaceRecord } from '../features/normalize.js';
import { snapshotBody } from '../features/snapshot-body.js';
import { checkEnvironment } from './evaluate.js';
import type { Operation, Service, Snapshot } from './operation.js';
import { Refusal, single, invalidField } from './request.js';

/**
 * GET /internal/v1/evaluation/snapshot/namespace/{namespaceKey}. As in Flipt, the ETag has no quotes, and counts only if
 * it comes back byte for byte.
 */
export const getSnapshot: Operation = (service, request) => {
  single(request.query, 'reference');
  checkEnvironment(service, request);
  const key = request.path.namespaceKey;
  const namespace = service.overrides.served(key);
  if (!namespace && service.semantics !== 'v1')
    throw new Refusal(404, `namespace ${JSON.stringify(key)} not found`);
  // Flipt v1 answers as for an empty namespace.
  const empty = { key, name: '', description: '', flags: new Map(), segments: new Map() };
  const { etag, text } = snapshotOf(service, namespace ?? empty);
  const headers = { ETag: etag };
  return request.header('if-none-match') === etag ? { status: 304, headers, text: '' } : { headers, text };
};

/**
 * GET /client/v2/environments/{environment}/namespaces/{namespaceKey}/stream. Since 2.9, Flipt sends versions of
 * snapshots to clients that ask for events, and whole snapshots, each as a line of JSON, to all others.
 */
export const streamSnapshot: Operation = (service, request) => {
  checkEnvironment(service, request);
  let sent = single(request.query, 'digest') ?? '';
  if (sent !== '' && sent.length !== 40) throw invalidField('digest', 'must be a 40-character string');
  const hasEvents = service.semantics === 'v2' && request.header('accept') === 'text/event-stream';
  return {
    contentType: hasEvents ? 'text/event-stream' : 'application/json',
    next: () => {
      const namespace = service.overrides.served(request.path.namespaceKey);
      const { etag, text } = namespace ? snapshotOf(service, namespace) : { etag: sent, text: '' };
      if (etag === sent) return undefined;
      sent = etag;
      if (!hasEvents) return `{"result":${text}}\n`;
      return `id: ${etag.slice(0, 9)}\ndata: ${JSON.stringify({ etag, type: 'refetchEvaluation' })}\n\n`;
    },
  };
};

/** Not read by evaluation, so the ETag does not depend on it. */
const IDENTITY = ['id', 'ruleId', 'variantId', 'name', 'description', 'createdAt', 'updatedAt'];

function snapshotOf({ semantics, snapshots }: Service, namespace: NamespaceRecord): Snapshot {
  const known = snapshots.get(namespace);
  if (known) return known;
  const content = snapshotBody(namespace, semantics);
  const read = JSON.stringify(content, (name, value: unknown) =>
    IDENTITY.includes(name) ? undefined : value,
  );
  const etag = createHash('sha1').update(read).digest('hex');
  const snapshot = {
    etag,
    text: JSON.stringify(semantics === 'v1' ? content : { ...content, digest: etag }),
  };
  snapshots.set(namespace, snapshot);
  return snapshot;
}
