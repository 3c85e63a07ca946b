import { compileConstraint, never, type Matches } from './constraint-match.js';
import type { EvaluatedEntity } from './evaluated-entity.js';
import type { Segment, SegmentChoice } from './features.js';
import { neededConstraints, neededSegments } from './parts-in-force.js';

/** Finds a segment by the key under which the features hold it; returns `undefined` if there is none. */
export type FindSegment = (key: string) => ReturnType<typeof compileSegment> | undefined;

/** Prepares the test of a segment. */
export function compileSegment({ key, matchType, constraints }: Segment) {
  return { key, matches: segmentTest(matchType, constraints.map(compileConstraint)) };
}

/** Makes the test of a segment from the tests of its constraints. */
export function segmentTest(matchType: Segment['matchType'], tests: readonly Matches[]): Matches {
  const needed = neededConstraints(matchType, tests.length);
  return needed === undefined ? never : joined(tests, needed !== 'one');
}

/** Prepares the test of a choice of segments. */
export function compileChoice(choice: SegmentChoice, find: FindSegment) {
  const segments = choice.segmentKeys.map((key) => find(key) ?? { key, matches: never });
  /**
   * The array holds the segments' own keys. The features can hold several segments with the same key, each under
   * another name.
   */
  const segmentKeys = segments.map(({ key }) => key);
  const tests = segments.map(({ matches }) => matches);
  return {
    segmentKeys,
    /**
     * Returns the keys of the segments that match. If all segments match, the function returns the array `segmentKeys`
     * itself, for which the answer is prepared.
     */
    matching: choiceTest({ ...choice, segmentKeys }, tests),
  };
}

/**
 * Makes the test of a choice of segments from the tests of its segments. The test gives the keys of the segments that
 * match, or `undefined` if too few match for the operator. The function stands outside of `compileChoice`, because a
 * closure there would keep `find`, and so a whole snapshot, in memory.
 */
export function choiceTest({ segmentKeys, segmentOperator }: SegmentChoice, tests: readonly Matches[]) {
  const needed = neededSegments(segmentOperator);
  if (needed === 'all' || (needed === 'one' && tests.length === 1)) {
    const matches = joined(tests, true);
    return (entity: EvaluatedEntity) => (matches(entity) ? segmentKeys : undefined);
  }
  const least = needed === 'one' ? 1 : 0;
  return (entity: EvaluatedEntity) => {
    const keys = segmentKeys.filter((_key, at) => tests[at]?.(entity));
    if (keys.length < least) return undefined;
    return keys.length === segmentKeys.length ? segmentKeys : keys;
  };
}

/** Joins tests into one. If `needsAll` is true, an entity must match all tests; otherwise, one test is enough. */
function joined(tests: readonly Matches[], needsAll: boolean): Matches {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (entity) => {
    for (const matches of tests) if (matches(entity) !== needsAll) return !needsAll;
    return needsAll;
  };
}
