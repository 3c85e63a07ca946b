import { similarName } from '../../text/closest-name.js';
import { isBlankText, parsedOf, textOf, type ComparedText } from '../syntax/compared-text.js';
import { compileReadable, PARSE, type Matches } from '../constraint-match.js';
import type { EvaluatedEntity } from '../evaluated-entity.js';
import type { Constraint, Features, Segment, SegmentChoice } from '../features.js';
import { OPERATORS } from '../operators-by-type.js';
import { choiceTest, segmentTest } from '../segment-match.js';
import type { ConstraintMismatch, ExplainedConstraint, ExplainedSegment } from './explanation.js';

/**
 * Compares with every constraint of every segment, even after the result is certain, so that the explanation shows all.
 */
export function explainChoice(
  { segmentKeys, segmentOperator }: SegmentChoice,
  explained: (name: string) => ExplainedSegment,
  entity: EvaluatedEntity,
): { readonly segments: readonly ExplainedSegment[]; readonly applies: boolean } {
  const segments = segmentKeys.map(explained);
  const matching = choiceTest(segmentKeys, segmentOperator, resultsOf(segments));
  return { segments, applies: matching(entity) !== undefined };
}

/** Explains each segment once: its lists may be long, and many rules may name it. */
export function explainedSegments(
  { segments }: Features,
  entity: EvaluatedEntity,
): (name: string) => ExplainedSegment {
  const known = new Map<string, ExplainedSegment>();
  return (name) => {
    const explained = known.get(name) ?? explainSegment(name, segments.get(name), entity);
    known.set(name, explained);
    return explained;
  };
}

/** The features may hold several segments with the same key, each under another name: people see the key. */
function explainSegment(
  name: string,
  segment: Segment | undefined,
  entity: EvaluatedEntity,
): ExplainedSegment {
  if (segment === undefined) return { key: name, matched: false, constraints: [] };
  const { key, matchType } = segment;
  const constraints = segment.constraints.map((constraint) => explainConstraint(constraint, entity));
  const matched = segmentTest(matchType, resultsOf(constraints))(entity);
  return { key, matched, matchType, constraints };
}

/** Tests that give the results of these comparisons. */
function resultsOf(compared: readonly { readonly matched: boolean }[]): readonly Matches[] {
  return compared.map((result) => () => result.matched);
}

export function explainConstraint(constraint: Constraint, entity: EvaluatedEntity): ExplainedConstraint {
  const { type, property, operator, value } = constraint;
  const { matches, isReadable } = compileReadable(constraint);
  const matched = matches(entity);
  const seen = type === 'ENTITY_ID_COMPARISON_TYPE' ? entity.idText() : entity.attribute(property);
  const like = seen === undefined ? similarName(property, entity.names()) : undefined;
  return {
    type,
    property,
    operator,
    value,
    ...(seen !== undefined && { seen: textOf(seen) }),
    ...(like !== undefined && { like }),
    matched,
    ...(!matched && { why: mismatch(constraint, isReadable, seen ?? '') }),
  };
}

/** Why a value does not match. Call it only for a value that does not. */
function mismatch(constraint: Constraint, isReadable: boolean, seen: ComparedText): ConstraintMismatch {
  const { type, operator } = constraint;
  if (!OPERATORS[type].includes(operator)) return 'unknown-operator';
  if (!isReadable) return 'unreadable-constraint';
  if (operator === 'empty' || operator === 'notpresent') return 'differs';
  // White space is a text like any other, but it does not count as present.
  const isPresence = operator === 'notempty' || operator === 'present';
  if (seen === '' || (isPresence && isBlankText(seen))) return 'missing';
  return parsedOf(seen, PARSE[type]) === undefined ? 'unreadable' : 'differs';
}
