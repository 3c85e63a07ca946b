import type { SegmentChoice } from '../../engine/features.js';
import type { FlagRecord, NamespaceRecord, SegmentRecord, Stamp, State } from './records.js';

/** The state with one flag added or replaced. */
export function withFlag(state: State, namespace: NamespaceRecord, flag: FlagRecord, stamp: Stamp): State {
  return written(state, { ...namespace, flags: new Map(namespace.flags).set(flag.key, flag) }, stamp);
}

/** The state with one segment added or replaced. */
export function withSegment(
  state: State,
  namespace: NamespaceRecord,
  segment: SegmentRecord,
  stamp: Stamp,
): State {
  const segments = new Map(namespace.segments).set(segment.key, segment);
  return written(state, { ...namespace, segments }, stamp);
}

function written(state: State, namespace: NamespaceRecord, { id }: Stamp): State {
  const namespaces = new Map(state.namespaces).set(namespace.key, { ...namespace, version: id() });
  return { ...state, namespaces };
}

/**
 * The state with other namespaces. A namespace that was ever written keeps having a version, even if it is empty now.
 */
export function withNamespaces(state: State, namespaces: State['namespaces'], { id }: Stamp): State {
  const versioned = Array.from(namespaces, ([key, namespace]) => {
    const known = state.namespaces.get(key)?.version !== undefined;
    return [key, known ? { ...namespace, version: namespace.version ?? id() } : namespace] as const;
  });
  return { ...state, namespaces: new Map(versioned) };
}

/** A choice as the service stores it: without duplicates, sorted, and a single segment always with OR. */
export function storedChoice(
  keys: readonly string[],
  operator: SegmentChoice['segmentOperator'] = 'OR_SEGMENT_OPERATOR',
): SegmentChoice {
  const segmentKeys = [...new Set(keys)].sort();
  return { segmentKeys, segmentOperator: segmentKeys.length === 1 ? 'OR_SEGMENT_OPERATOR' : operator };
}
