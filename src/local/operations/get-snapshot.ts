import { isV2, streamsEvents } from '../../engine/version-differences.js';
import { invalidField, notFound } from '../parsing/refused-request.js';
import { clientAbilities, EVERY_ABILITY, type SnapshotDocument } from '../snapshot-document.js';
import { EVENT_STREAM, serverSentEvent } from '../../base/text/server-sent-event.js';
import { checkEnvironment, type Operation } from './operation.js';

/** GET /internal/v1/evaluation/snapshot/namespace/{namespaceKey} */
export const getSnapshot: Operation = (service, { path, query, header }) => {
  query.single('reference');
  checkEnvironment(service.semantics, header('x-flipt-environment'));
  const key = path.namespaceKey;
  const namespace = service.overrides.served(key);
  if (!namespace && isV2(service.semantics)) throw notFound(`namespace ${JSON.stringify(key)} not found`);
  const abilities = clientAbilities(header('x-flipt-accept-server-version'));
  // Flipt v1 gives the same answer for a missing namespace as for an empty namespace.
  const empty = { key, name: '', description: '', flags: new Map(), segments: new Map() };
  return { document: service.snapshotOf(namespace ?? empty, abilities) };
};

/**
 * GET /client/v2/environments/{environment}/namespaces/{namespaceKey}/stream sends one event at the start, and further
 * events after changes of the snapshot. If the client sends the current digest, there is no event at the start. While
 * the namespace does not exist, the stream sends no event. Since 2.9, Flipt sends only the versions of snapshots to
 * clients that accept server-sent events. To clients that do not accept server-sent events, Flipt sends the snapshots
 * themselves, each as a line of JSON.
 */
export const streamSnapshot: Operation = (service, { path, query, header }) => {
  const { store, overrides, snapshotOf, semantics } = service;
  checkEnvironment(semantics, header('x-flipt-environment'));
  const digest = query.single('digest') ?? '';
  if (digest !== '' && digest.length !== DIGEST_LENGTH) {
    throw invalidField('digest', `must be a ${DIGEST_LENGTH}-character string`);
  }
  const latest = (): SnapshotDocument | undefined => {
    const namespace = overrides.served(path.namespaceKey);
    return namespace && snapshotOf(namespace, EVERY_ABILITY);
  };
  const shared = {
    known: digest || undefined,
    latest: () => latest()?.version,
    onChange: (changed: () => void) => store.onChange(changed),
  };
  const line = () => `{"result":${latest()?.text() ?? '{}'}}\n`;
  return streamsEvents(semantics) && header('accept') === EVENT_STREAM
    ? { events: { ...shared, type: EVENT_STREAM, textOf: eventText } }
    : { events: { ...shared, type: 'application/json', textOf: line } };
};

const DIGEST_LENGTH = 40;
const ID_LENGTH = 9;

function eventText(etag: string): string {
  return serverSentEvent(etag.slice(0, ID_LENGTH), JSON.stringify({ etag, type: 'refetchEvaluation' }));
}
