import { MATCH_TYPES } from '../engine/features.js';
import { KEY_SYNTAX } from '../features/references.js';
import type { NamespaceRecord, SegmentRecord } from '../features/normalize.js';
import { json, type Operation } from './operation.js';
import { Refusal, Message, single, paginated, invalidField } from './request.js';
import { newDates, nowText, withNamespace, type State } from './store.js';

/** GET /api/v1/namespaces/{namespaceKey}/segments */
export const listSegments: Operation = ({ store }, { path: { namespaceKey }, query }) => {
  const segments = store.state.namespaces.get(namespaceKey)?.segments.values() ?? [];
  const { items, ...rest } = paginated([...segments], query);
  return json({ segments: items.map((segment) => shown(namespaceKey, segment)), ...rest });
};

/** GET /api/v1/namespaces/{namespaceKey}/segments/{key} */
export const getSegment: Operation = ({ store }, { path: { namespaceKey, key }, query }) => {
  single(query, 'reference');
  return json(shown(namespaceKey, found(store.state, namespaceKey, key).segment));
};

/** POST /api/v1/namespaces/{namespaceKey}/segments */
export const createSegment: Operation = ({ store }, { path: { namespaceKey }, text }) => {
  const message = Message.of(text);
  const { key } = message.strings('namespaceKey', 'key');
  const content = contentOf(message);
  if (key === '') throw invalidField('key', 'must not be empty');
  if (!KEY_SYNTAX.test(key)) throw invalidField('key', 'contains invalid characters');
  checkName(content.name);
  return store.change((state) => {
    const namespace = state.namespaces.get(namespaceKey);
    if (!namespace) throw new Refusal(404, `namespace ${JSON.stringify(namespaceKey)} not found`);
    if (namespace.segments.has(key)) throw new Refusal(400, `segment "${namespaceKey}/${key}" is not unique`);
    return written(state, namespace, { key, ...content, constraints: [], ...newDates() });
  });
};

/** PUT /api/v1/namespaces/{namespaceKey}/segments/{key} */
export const updateSegment: Operation = ({ store }, { path: { namespaceKey, key }, text }) => {
  const message = Message.of(text);
  message.strings('namespaceKey', 'key');
  const content = contentOf(message);
  checkName(content.name);
  return store.change((state) => {
    const { namespace, segment } = found(state, namespaceKey, key);
    return written(state, namespace, { ...segment, ...content, updatedAt: nowText() });
  });
};

function contentOf(message: Message) {
  return {
    ...message.strings('name', 'description'),
    matchType: message.enumeration('matchType', MATCH_TYPES),
  };
}

function checkName(name: string): void {
  if (name === '') throw invalidField('name', 'must not be empty');
}

function found(state: State, namespaceKey: string, key: string) {
  const namespace = state.namespaces.get(namespaceKey);
  const segment = namespace?.segments.get(key);
  if (!namespace || !segment) throw new Refusal(404, `segment "${namespaceKey}/${key}" not found`);
  return { namespace, segment };
}

function written(state: State, namespace: NamespaceRecord, segment: SegmentRecord) {
  const segments = new Map(namespace.segments).set(segment.key, segment);
  return {
    state: withNamespace(state, { ...namespace, segments }),
    result: json(shown(namespace.key, segment)),
  };
}

function shown(namespaceKey: string, segment: SegmentRecord): unknown {
  const constraints = segment.constraints.map((each) => ({ ...each, namespaceKey, segmentKey: segment.key }));
  return { ...segment, constraints, namespaceKey };
}
