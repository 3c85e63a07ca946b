import { compileConstraint, type Matches, type ReadAttribute } from './constraints.js';
import type { Segment, SegmentChoice } from './features.js';
import type { Steps } from './stepwise.js';

/** A segment with its test prepared. */
export interface CompiledSegment {
  readonly key: string;
  readonly matches: Matches;
}

/** Finds a segment by the key under which the features hold it; `undefined` if there is none. */
export type FindSegment = (key: string) => CompiledSegment | undefined;

/** The keys of the chosen segments that match; `undefined` if too few match for the operator. */
export type MatchingSegments = (entity: string, read: ReadAttribute) => readonly string[] | undefined;

export function compileSegment({ key, matchType, constraints }: Segment): CompiledSegment {
  return { key, matches: compileTest(matchType, constraints.map(compileConstraint)) };
}

function compileTest(matchType: Segment['matchType'], tests: readonly Matches[]): Matches {
  if (matchType === 'ALL_MATCH_TYPE') return all(tests);
  if (matchType !== 'ANY_MATCH_TYPE') return never;
  return tests.length === 0 ? all(tests) : any(tests);
}

/** A choice of segments, prepared. */
export interface CompiledChoice {
  /** The segments' own keys. The features may hold several segments with the same key, each under another name. */
  readonly segmentKeys: readonly string[];
  /** If all segments match, the result is `segmentKeys` itself. */
  readonly matching: MatchingSegments;
}

export function* compileChoice(
  { segmentKeys, segmentOperator }: SegmentChoice,
  find: FindSegment,
): Steps<CompiledChoice> {
  const segments: CompiledSegment[] = [];
  for (const key of segmentKeys) {
    segments.push(find(key) ?? { key, matches: never });
    yield;
  }
  const keys = segments.map(({ key }) => key);
  const tests = segments.map(({ matches }) => matches);
  return { segmentKeys: keys, matching: matchingOf(keys, segmentOperator, tests) };
}

/** A function of its own: a closure inside `compileChoice` would keep `find`, and so a whole snapshot, in memory. */
function matchingOf(
  segmentKeys: readonly string[],
  segmentOperator: SegmentChoice['segmentOperator'],
  tests: readonly Matches[],
): MatchingSegments {
  const isOr = segmentOperator === 'OR_SEGMENT_OPERATOR';
  if (segmentOperator === 'AND_SEGMENT_OPERATOR' || (isOr && tests.length === 1)) {
    const matches = all(tests);
    return (entity, read) => (matches(entity, read) ? segmentKeys : undefined);
  }
  // If the operator has no name, no segment has to match: the service's rule.
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
