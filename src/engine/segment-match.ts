import { compileConstraint, never, type Matches } from './constraint-match.js';
import type { EvaluatedEntity } from './evaluated-entity.js';
import type { Segment, SegmentChoice } from './features.js';
import { mapInSteps } from '../time/pausable-steps.js';

/** Finds a segment by the key under which the features hold it; `undefined` if there is none. */
export type FindSegment = (key: string) => ReturnType<typeof compileSegment> | undefined;

/** The keys of the chosen segments that match; `undefined` if too few match for the operator. */
export type MatchingSegments = (entity: EvaluatedEntity) => readonly string[] | undefined;

/** A segment with its test prepared. */
export function compileSegment({ key, matchType, constraints }: Segment) {
  return { key, matches: segmentTest(matchType, constraints.map(compileConstraint)) };
}

/** The test of a segment that has the tests of its constraints. */
export function segmentTest(matchType: Segment['matchType'], tests: readonly Matches[]): Matches {
  if (typeof matchType === 'number') return never;
  // Without constraints, a segment of either type matches everything.
  return joined(tests, matchType === 'ALL_MATCH_TYPE' || tests.length === 0);
}

/** A choice of segments, prepared. */
export function* compileChoice(choice: SegmentChoice, find: FindSegment) {
  const segments = yield* mapInSteps(choice.segmentKeys, (key) => find(key) ?? { key, matches: never });
  /** The segments' own keys. The features may hold several segments with the same key, each under another name. */
  const segmentKeys = segments.map(({ key }) => key);
  const tests = segments.map(({ matches }) => matches);
  return {
    segmentKeys,
    /** If all segments match, the result is `segmentKeys` itself. */
    matching: choiceTest(segmentKeys, choice.segmentOperator, tests),
  };
}

/**
 * The test of a choice of segments that have these tests. A closure inside `compileChoice` would keep `find`, and so a
 * whole snapshot, in memory.
 */
export function choiceTest(
  segmentKeys: readonly string[],
  segmentOperator: SegmentChoice['segmentOperator'],
  tests: readonly Matches[],
): MatchingSegments {
  const isOr = segmentOperator === 'OR_SEGMENT_OPERATOR';
  if (segmentOperator === 'AND_SEGMENT_OPERATOR' || (isOr && tests.length === 1)) {
    const matches = joined(tests, true);
    return (entity) => (matches(entity) ? segmentKeys : undefined);
  }
  // If the operator has no name, no segment has to match: the service's rule.
  const least = isOr ? 1 : 0;
  return (entity) => {
    const keys = segmentKeys.filter((_key, at) => tests[at]?.(entity));
    if (keys.length < least) return undefined;
    return keys.length === segmentKeys.length ? segmentKeys : keys;
  };
}

/** Whether all tests match, or if not all are needed, one of them. */
function joined(tests: readonly Matches[], needsAll: boolean): Matches {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (entity) => {
    for (const matches of tests) if (matches(entity) !== needsAll) return !needsAll;
    return needsAll;
  };
}
