import { MATCH_TYPES } from '../../engine/features.js';
import type { Message } from '../requests/message.js';
import type { Operation } from './operation.js';
import { pageOf } from '../requests/page.js';
import { withSegment } from '../state/changed-state.js';
import { KEY_SYNTAX, type NamespaceRecord, type SegmentRecord, type State } from '../state/records.js';
import { invalid, invalidField, notFound } from '../requests/refusal.js';

/** GET /api/v1/namespaces/{namespaceKey}/segments */
export const listSegments: Operation = ({ store }, { path, query }) => {
  const namespaceKey = path('namespaceKey');
  const segments = store.state.namespaces.get(namespaceKey)?.segments ?? new Map<string, SegmentRecord>();
  const { items, ...page } = pageOf([...segments.values()], query);
  return { segments: items.map((segment) => shown(namespaceKey, segment)), ...page };
};

/** GET /api/v1/namespaces/{namespaceKey}/segments/{key} */
export const getSegment: Operation = ({ store }, { path, query }) => {
  query.single('reference');
  const namespaceKey = path('namespaceKey');
  return shown(namespaceKey, find(store.state, namespaceKey, path('key')).segment);
};

/** POST /api/v1/namespaces/{namespaceKey}/segments */
export const createSegment: Operation = ({ store, stamp }, { path, message }) => {
  message.checkStrings('namespaceKey');
  const key = message.string('key');
  const content = readContent(message);
  if (key === '') throw invalidField('key', 'must not be empty');
  if (!KEY_SYNTAX.test(key)) throw invalidField('key', 'contains invalid characters');
  checkName(content.name);
  const namespaceKey = path('namespaceKey');
  return store.change((state) => {
    const namespace = state.namespaces.get(namespaceKey);
    if (!namespace) throw notFound(`namespace ${JSON.stringify(namespaceKey)} not found`);
    if (namespace.segments.has(key)) throw invalid(`segment "${namespaceKey}/${key}" is not unique`);
    const now = new Date(stamp.date()).toISOString();
    const segment = { key, ...content, constraints: [], createdAt: now, updatedAt: now };
    return { state: withSegment(state, namespace, segment, stamp), result: shown(namespaceKey, segment) };
  });
};

/** PUT /api/v1/namespaces/{namespaceKey}/segments/{key} */
export const updateSegment: Operation = ({ store, stamp }, { path, message }) => {
  message.checkStrings('namespaceKey', 'key');
  const content = readContent(message);
  checkName(content.name);
  const namespaceKey = path('namespaceKey');
  return store.change((state) => {
    const { namespace, segment: old } = find(state, namespaceKey, path('key'));
    const segment = { ...old, ...content, updatedAt: new Date(stamp.date()).toISOString() };
    return { state: withSegment(state, namespace, segment, stamp), result: shown(namespaceKey, segment) };
  });
};

function readContent(message: Message): Pick<SegmentRecord, 'name' | 'description' | 'matchType'> {
  return {
    name: message.string('name'),
    description: message.string('description'),
    matchType: message.enumeration('matchType', MATCH_TYPES),
  };
}

function checkName(name: string): void {
  if (name === '') throw invalidField('name', 'must not be empty');
}

function find(
  state: State,
  namespaceKey: string,
  key: string,
): { namespace: NamespaceRecord; segment: SegmentRecord } {
  const namespace = state.namespaces.get(namespaceKey);
  const segment = namespace?.segments.get(key);
  if (!namespace || !segment) throw notFound(`segment "${namespaceKey}/${key}" not found`);
  return { namespace, segment };
}

function shown(namespaceKey: string, segment: SegmentRecord): unknown {
  const constraints = segment.constraints.map((constraint) => ({
    ...constraint,
    namespaceKey,
    segmentKey: segment.key,
  }));
  return { ...segment, constraints, namespaceKey };
}
