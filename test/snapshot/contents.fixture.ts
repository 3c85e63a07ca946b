import type { Features, Semantics } from '../../src/engine/features.js';
import { atOnce } from '../../src/engine/pausable-steps.js';
import { flagContent, segmentContent, type Contents } from '../../src/snapshot/changed-flags.js';

/** The contents of all flags, each from the whole of the features. */
export function contentsOf({ flags, segments }: Features, semantics: Semantics): Contents {
  const written = new Map([...segments].map(([key, segment]) => [key, segmentContent(segment)]));
  const contentOf = (key: string) => written.get(key) ?? '';
  return new Map([...flags].map(([key, flag]) => [key, atOnce(flagContent(flag, contentOf, semantics))]));
}
