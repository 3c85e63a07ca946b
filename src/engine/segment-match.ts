import { compileConstraint, never, type Matches } from './constraint-match.js';
import type { EvaluatedEntity } from './evaluated-entity.js';
import type { Segment, SegmentChoice } from './features.js';
import { neededConstraints, neededSegments } from './parts-in-force.js';
import { mapInSteps } from '../base/time/pausable-steps.js';

/** Finds a segment by the key under which the features hold it; `undefined` if there is none. */
export type FindSegment = (key: string) => ReturnType<typeof compileSegment> | undefined;

/** A segment with its test prepared. */
export function compileSegment({ key, matchType, constraints }: Segment) {
  return { key, matches: segmentTest(matchType, constraints.map(compileConstraint)) };
}

/** The test of a segment that has the tests of its constraints. */
export function segmentTest(matchType: Segment['matchType'], tests: readonly Matches[]): Matches {
  const needed = neededConstraints(matchType, tests.length);
  return needed === undefined ? never : joined(tests, needed !== 'one');
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
    matching: choiceTest({ ...choice, segmentKeys }, tests),
  };
}

/**
 * The test of a choice of segments that have these tests: it gives the keys of those that match, or `undefined` if too
 * few match for the operator. A closure inside `compileChoice` would keep `find`, and so a whole snapshot, in memory.
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

/** Whether all tests match, or if not all are needed, one of them. */
function joined(tests: readonly Matches[], needsAll: boolean): Matches {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (entity) => {
    for (const matches of tests) if (matches(entity) !== needsAll) return !needsAll;
    return needsAll;
  };
}
