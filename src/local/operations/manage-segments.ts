import { MATCH_TYPES } from '../../engine/features.js';
import type { Message } from '../parsing/proto-message.js';
import type { Operation } from './operation.js';
import { paginated } from '../parsing/query.js';
import { withNamespace, type State } from '../state/state.js';
import { KEY_SYNTAX } from '../../features/document-schema.js';
import { newDates, nowText } from '../../features/records.js';
import type { NamespaceRecord, SegmentRecord, Stamp } from '../../features/records.js';
import { invalid, invalidField, notFound } from '../parsing/refused-request.js';

/** GET /api/v1/namespaces/{namespaceKey}/segments */
export const listSegments: Operation = ({ store }, { path: { namespaceKey }, query }) => {
  const segments = store.state.namespaces.get(namespaceKey)?.segments ?? new Map<string, SegmentRecord>();
  const { items, ...rest } = paginated([...segments.values()], query);
  return { json: { segments: items.map((segment) => shown(namespaceKey, segment)), ...rest } };
};

/** GET /api/v1/namespaces/{namespaceKey}/segments/{key} */
export const getSegment: Operation = ({ store }, { path: { namespaceKey, key }, query }) => {
  query.single('reference');
  return { json: shown(namespaceKey, find(store.state, namespaceKey, key).segment) };
};

/** POST /api/v1/namespaces/{namespaceKey}/segments */
export const createSegment: Operation = ({ store, stamp }, { path: { namespaceKey }, message }) => {
  const { key } = message.texts('namespaceKey', 'key');
  const content = readContent(message);
  if (key === '') throw invalidField('key', 'must not be empty');
  if (!KEY_SYNTAX.test(key)) throw invalidField('key', 'contains invalid characters');
  checkName(content.name);
  return store.change((state) => {
    const namespace = state.namespaces.get(namespaceKey);
    if (!namespace) throw notFound(`namespace ${JSON.stringify(namespaceKey)} not found`);
    if (namespace.segments.has(key)) throw invalid(`segment "${namespaceKey}/${key}" is not unique`);
    return written(state, namespace, { key, ...content, constraints: [], ...newDates(stamp) }, stamp);
  });
};

/** PUT /api/v1/namespaces/{namespaceKey}/segments/{key} */
export const updateSegment: Operation = ({ store, stamp }, { path: { namespaceKey, key }, message }) => {
  message.texts('namespaceKey', 'key');
  const content = readContent(message);
  checkName(content.name);
  return store.change((state) => {
    const { namespace, segment: old } = find(state, namespaceKey, key);
    return written(state, namespace, { ...old, ...content, updatedAt: nowText(stamp) }, stamp);
  });
};

/** Returns the new state with the segment in it, and the answer to the client. */
function written(state: State, namespace: NamespaceRecord, segment: SegmentRecord, stamp: Stamp) {
  const segments = new Map(namespace.segments).set(segment.key, segment);
  return {
    state: withNamespace(state, { ...namespace, segments }, stamp),
    result: { json: shown(namespace.key, segment) },
  };
}

function readContent(message: Message): Pick<SegmentRecord, 'name' | 'description' | 'matchType'> {
  const about = message.texts('name', 'description');
  return { ...about, matchType: message.enumeration('matchType', MATCH_TYPES) };
}

function checkName(name: string): void {
  if (name === '') throw invalidField('name', 'must not be empty');
}

function find(state: State, namespaceKey: string, key: string) {
  const namespace = state.namespaces.get(namespaceKey);
  const segment = namespace?.segments.get(key);
  if (!namespace || !segment) throw notFound(`segment "${namespaceKey}/${key}" not found`);
  return { namespace, segment };
}

function shown(namespaceKey: string, segment: SegmentRecord): unknown {
  const constraints = segment.constraints.map((each) => ({ ...each, namespaceKey, segmentKey: segment.key }));
  return { ...segment, constraints, namespaceKey };
}
