import type { Features, Flag, SegmentChoice, Semantics } from '../../src/engine/features.js';
import { flagContent, segmentName } from '../../src/snapshot/flag-content.js';

/** Returns a digest of everything that evaluation reads of each flag, by the flag's key. */
export type Contents = ReadonlyMap<string, string>;

/** The contents of all flags, whatever their segments are called. */
export function contentsOf({ flags, segments }: Features, semantics: Semantics): Contents {
  const named = <Choice extends SegmentChoice>(choice: Choice): Choice => ({
    ...choice,
    segmentKeys: choice.segmentKeys.map((key) => {
      const segment = segments.get(key);
      return segment === undefined ? key : segmentName(segment);
    }),
  });
  const withNames = (flag: Flag): Flag =>
    flag.type === 'VARIANT_FLAG_TYPE'
      ? { ...flag, rules: flag.rules.map(named) }
      : { ...flag, rollouts: flag.rollouts.map((part) => (part.kind === 'segment' ? named(part) : part)) };
  return new Map([...flags].map(([key, flag]) => [key, flagContent(withNames(flag), semantics)]));
}

/** The keys of the flags that differ, are new, or are gone; sorted. */
export function changesOf(before: Contents, after: Contents): readonly string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key)).sort();
}
