import { compileConstraint, type Matches, type ReadAttribute } from './constraints.js';
import type { Segment, SegmentChoice } from './features.js';

/** Finds the test of a segment by its key; undefined where there is no such segment. */
export type FindSegment = (key: string) => Matches | undefined;

/** The keys of the chosen segments that match; undefined where they are not enough for the operator. */
export type MatchingSegments = (entity: string, read: ReadAttribute) => readonly string[] | undefined;

export function compileSegment({ matchType, constraints }: Segment): Matches {
  const tests = constraints.map(compileConstraint);
  if (matchType === 'ALL_MATCH_TYPE') return all(tests);
  if (matchType !== 'ANY_MATCH_TYPE') return never;
  return tests.length === 0 ? all(tests) : any(tests);
}

/** Prepares a choice of segments. Where all of them match, the answer is `choice.segmentKeys` itself. */
export function compileChoice(choice: SegmentChoice, find: FindSegment): MatchingSegments {
  return matching(choice, testsOf(choice, find));
}

/** Not inlined: a closure in its place would keep `find`, and with it a whole snapshot, in memory. */
function testsOf({ segmentKeys }: SegmentChoice, find: FindSegment): readonly Matches[] {
  return segmentKeys.map((key) => find(key) ?? never);
}

function matching(
  { segmentKeys, segmentOperator }: SegmentChoice,
  tests: readonly Matches[],
): MatchingSegments {
  const isOr = segmentOperator === 'OR_SEGMENT_OPERATOR';
  if (segmentOperator === 'AND_SEGMENT_OPERATOR' || (isOr && tests.length === 1)) {
    const matches = all(tests);
    return (entity, read) => (matches(entity, read) ? segmentKeys : undefined);
  }
  // An operator without a name asks for nothing: the service's own reading.
  const least = isOr ? 1 : 0;
  return (entity, read) => {
    const keys = segmentKeys.filter((_key, at) => tests[at]?.(entity, read));
    if (keys.length < least) return undefined;
    return keys.length === segmentKeys.length ? segmentKeys : keys;
  };
}

function all(tests: readonly Matches[]): Matches {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (entity, read) => {
    for (const matches of tests) if (!matches(entity, read)) return false;
    return true;
  };
}

function any(tests: readonly Matches[]): Matches {
  return (entity, read) => {
    for (const matches of tests) if (matches(entity, read)) return true;
    return false;
  };
}

function never(): boolean {
  return false;
}
