import { compileConstraint, never, type Matches } from './constraint-match.js';
import type { EvaluatedEntity } from './evaluated-entity.js';
import type { Segment, SegmentChoice } from './features.js';
import { neededConstraints, neededSegments } from './parts-in-force.js';

/** Returns the compiled segment that the features hold under this key, or `undefined` if there is no such segment. */
export type FindSegment = (key: string) => ReturnType<typeof compileSegment> | undefined;

/** Returns the segment's key, and the test whether an entity is in the segment. */
export function compileSegment({ key, matchType, constraints }: Segment) {
  return { key, matches: segmentTest(matchType, constraints.map(compileConstraint)) };
}

/** Combines the tests of a segment's constraints into one test for the segment. */
export function segmentTest(matchType: Segment['matchType'], tests: readonly Matches[]): Matches {
  const needed = neededConstraints(matchType, tests.length);
  return needed === undefined ? never : joined(tests, needed !== 'one');
}

/** Prepares for evaluation the segments that a rule or rollout names. */
export function compileChoice(choice: SegmentChoice, find: FindSegment) {
  const segments = choice.segmentKeys.map((key) => find(key) ?? { key, matches: never });
  /**
   * The segments' own keys. The name under which the features hold a segment can differ from its own key, because a
   * snapshot can contain several segments with the same key.
   */
  const segmentKeys = segments.map(({ key }) => key);
  const tests = segments.map(({ matches }) => matches);
  return {
    segmentKeys,
    /**
     * Returns the keys of the segments that match. If all segments match, the function returns the array `segmentKeys`
     * itself, because the answer for this array was made in advance.
     */
    matching: choiceTest({ ...choice, segmentKeys }, tests),
  };
}

/**
 * Combines the tests of several segments into the test of a rule or rollout. The returned test gives the keys of the
 * segments that match, or `undefined` if fewer segments match than the operator requires. `choiceTest` is not a closure
 * inside `compileChoice`, because such a closure would keep `find`, and with it a whole snapshot, in memory.
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

/**
 * Combines several tests into one test. If `needsAll` is true, an entity must match all tests; otherwise, one test is
 * enough.
 */
function joined(tests: readonly Matches[], needsAll: boolean): Matches {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (entity) => {
    for (const matches of tests) if (matches(entity) !== needsAll) return !needsAll;
    return needsAll;
  };
}
