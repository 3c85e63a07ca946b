import type { Segment } from '../../engine/features.js';
import { segmentContent } from '../changed-flags.js';
import { distinctNames } from './distinct-names.js';

export interface SegmentTable {
  readonly byKey: ReadonlyMap<string, Segment>;
  /** The key under which the table holds a segment with this content. */
  readonly keyOf: (segment: Segment) => string;
  readonly contentOf: (key: string) => string;
}

/**
 * The segments of all rules. A snapshot repeats a segment in each rule. Two copies may differ, because v1 reads them
 * one by one while somebody may edit them. Each content has a key of its own, so that no rule gets another rule's copy.
 */
export function segmentTable(previous?: ReadonlyMap<string, Segment>): SegmentTable {
  const byKey = new Map<string, Segment>();
  const contents = new Map<string, string>();
  const nameOf = distinctNames();
  return {
    byKey,
    keyOf(segment) {
      const content = segmentContent(segment);
      const key = nameOf(segment.key, content);
      if (!byKey.has(key)) {
        const before = previous?.get(key);
        byKey.set(key, before && segmentContent(before) === content ? before : segment);
        contents.set(key, content);
      }
      return key;
    },
    contentOf: (key) => contents.get(key) ?? '',
  };
}
