import { single } from '../requests/query.js';
import { notFound, notServed } from '../requests/refusal.js';
import { clientAbilities, EVERY_ABILITY } from '../snapshot/client-abilities.js';
import type { NamespaceRecord } from '../state/records.js';
import { checkEnvironment } from './check-environment.js';
import type { DocumentOperation, EventOperation } from './operation.js';

/** GET /internal/v1/evaluation/snapshot/namespace/{namespaceKey} */
export const getSnapshot: DocumentOperation = (service, { path, query, header }) => {
  single(query, 'reference');
  checkEnvironment(service.semantics, header('x-flipt-environment'));
  const key = path('namespaceKey');
  const namespace = service.overrides.served(key);
  if (!namespace && service.semantics === 'v2') throw notFound(`namespace ${JSON.stringify(key)} not found`);
  return service.snapshotOf(
    namespace ?? unknown(key),
    clientAbilities(header('x-flipt-accept-server-version')),
  );
};

/** v1 answers about a missing namespace as it does about an empty one. */
function unknown(key: string): NamespaceRecord {
  return { key, name: '', description: '', flags: new Map(), segments: new Map() };
}

/**
 * GET /client/v2/environments/{environment}/namespaces/{namespaceKey}/stream: one event at the start, and one for each
 * new version of the snapshot. While the namespace does not exist, there are no events.
 */
export const streamSnapshot: EventOperation = (
  { overrides, snapshotOf, semantics },
  { path, query, header },
) => {
  checkEnvironment(semantics, header('x-flipt-environment'));
  if (header('accept') !== 'text/event-stream') throw notServed('only Accept: text/event-stream is served');
  const known = query.get('digest');
  return {
    known: known === null ? undefined : event(known),
    latest: () => {
      const namespace = overrides.served(path('namespaceKey'));
      const version = namespace && snapshotOf(namespace, EVERY_ABILITY).version;
      return version === undefined ? undefined : event(version);
    },
    onChange: (changed) => overrides.onChange(changed),
  };
};

function event(etag: string): string {
  return JSON.stringify({ etag, type: 'refetchEvaluation' });
}
