import type { SegmentChoice } from '../../engine/features.js';
import type { FlagRecord, NamespaceRecord, SegmentRecord, State } from './records.js';

/** The state with one flag added or replaced. */
export function withFlag(state: State, namespace: NamespaceRecord, flag: FlagRecord): State {
  return withNamespace(state, { ...namespace, flags: new Map(namespace.flags).set(flag.key, flag) });
}

/** The state with one segment added or replaced. */
export function withSegment(state: State, namespace: NamespaceRecord, segment: SegmentRecord): State {
  return withNamespace(state, {
    ...namespace,
    segments: new Map(namespace.segments).set(segment.key, segment),
  });
}

function withNamespace(state: State, namespace: NamespaceRecord): State {
  return { ...state, namespaces: new Map(state.namespaces).set(namespace.key, namespace) };
}

/** How the service stores a choice: equal keys collapse, several are sorted, and a single one is always OR. */
export function storedChoice(
  keys: readonly string[],
  operator: SegmentChoice['segmentOperator'] = 'OR_SEGMENT_OPERATOR',
): SegmentChoice {
  const segmentKeys = [...new Set(keys)].sort();
  return { segmentKeys, segmentOperator: segmentKeys.length === 1 ? 'OR_SEGMENT_OPERATOR' : operator };
}
