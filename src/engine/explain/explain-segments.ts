import type { ReadAttribute } from '../constraints.js';
import type { Features, SegmentChoice } from '../features.js';
import { explainConstraint } from './explain-constraint.js';
import type { ExplainedSegment } from './explanation.js';

/** What constraints see of a question. */
export interface EvaluatedEntity {
  readonly entity: string;
  readonly read: ReadAttribute;
}

export interface ChoiceMatch {
  readonly segments: readonly ExplainedSegment[];
  /** The keys of the segments that match; `undefined` if too few match for the operator. */
  readonly matching: readonly string[] | undefined;
}

/**
 * Compares with every constraint of every segment, even after the result is certain, so that the explanation shows all.
 */
export function explainChoice(
  { segmentKeys, segmentOperator }: SegmentChoice,
  features: Features,
  asked: EvaluatedEntity,
): ChoiceMatch {
  const segments = segmentKeys.map((name) => explainSegment(name, features, asked));
  const matching = segments.filter(({ matched }) => matched).map(({ key }) => key);
  const isEnough =
    segmentOperator === 'OR_SEGMENT_OPERATOR'
      ? matching.length > 0
      : segmentOperator !== 'AND_SEGMENT_OPERATOR' || matching.length === segmentKeys.length;
  return { segments, matching: isEnough ? matching : undefined };
}

/** The features may hold several segments with the same key, each under another name: people see the key. */
function explainSegment(
  name: string,
  { segments }: Features,
  { entity, read }: EvaluatedEntity,
): ExplainedSegment {
  const segment = segments.get(name);
  if (segment === undefined) return { key: name, matched: false, constraints: [] };
  const { key, matchType } = segment;
  const constraints = segment.constraints.map((constraint) => explainConstraint(constraint, entity, read));
  const matched =
    matchType === 'ALL_MATCH_TYPE'
      ? constraints.every((constraint) => constraint.matched)
      : matchType === 'ANY_MATCH_TYPE' &&
        (constraints.length === 0 || constraints.some((constraint) => constraint.matched));
  return { key, matched, matchType, constraints };
}
