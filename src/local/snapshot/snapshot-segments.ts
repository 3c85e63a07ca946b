import { MATCH_TYPES, SEGMENT_OPERATORS, type SegmentChoice, type Semantics } from '../../engine/features.js';
import type { ConstraintRecord, NamespaceRecord, SegmentRecord } from '../state/records.js';
import type { ClientAbilities } from './client-abilities.js';

/** Which namespace is written, for which version of the service and for which client. */
export interface Written {
  readonly namespace: NamespaceRecord;
  readonly semantics: Semantics;
  readonly abilities: ClientAbilities;
}

/** A snapshot repeats a segment, with its constraints, wherever it is used. */
export function shownSegments(written: Written, keys: readonly string[]): readonly object[] {
  return keys.flatMap((key) => {
    const segment = written.namespace.segments.get(key);
    return segment ? [shownSegment(written, segment)] : [];
  });
}

/** An operator without a name is shown as OR: the service's rule. */
export function shownOperator({ segmentOperator }: SegmentChoice): string {
  return SEGMENT_OPERATORS.find((name) => name === segmentOperator) ?? 'OR_SEGMENT_OPERATOR';
}

function shownSegment(written: Written, { key, matchType, constraints }: SegmentRecord): object {
  // A match type without a name is shown as ANY: the service's rule, although it evaluates such a segment differently.
  const known = MATCH_TYPES.find((name) => name === matchType) ?? 'ANY_MATCH_TYPE';
  return {
    key,
    name: '',
    description: '',
    matchType: known.replace('_', '_SEGMENT_'),
    constraints: constraints.map((constraint) => shownConstraint(written, constraint)),
  };
}

function shownConstraint(
  { semantics, abilities }: Written,
  { id, type, property, operator, value }: ConstraintRecord,
): object {
  const known = type !== 'ENTITY_ID_COMPARISON_TYPE' || abilities.entityIds;
  const shown = (known ? type : 'UNKNOWN_COMPARISON_TYPE').replace('_COMPARISON', '_CONSTRAINT_COMPARISON');
  return { ...(semantics === 'v1' && { id }), type: shown, property, operator, value };
}
