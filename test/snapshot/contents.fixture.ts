import type { Features, Semantics } from '../../src/engine/features.js';
import { atOnce } from '../../src/base/time/pausable-steps.js';
import type { ParsedBody } from '../../src/snapshot/body/parse-snapshot.js';
import { textDigests } from '../../src/snapshot/body/flags-of-body.js';
import { flagContent, segmentContent, type Contents } from '../../src/snapshot/flag-content.js';

/** Returns the contents of all flags. Each is made from the whole of the features. */
export function contentsOf({ flags, segments }: Features, semantics: Semantics): Contents {
  const written = new Map([...segments].map(([key, segment]) => [key, segmentContent(segment)]));
  const contentOf = (key: string) => written.get(key) ?? '';
  return new Map([...flags].map(([key, flag]) => [key, atOnce(flagContent(flag, contentOf, semantics))]));
}

/** Makes a body of which everything has been read. */
export function parsedOf(features: Features, semantics: Semantics): ParsedBody {
  return {
    features: { unreadable: new Map(), ...features },
    semantics,
    contents: contentsOf(features, semantics),
    texts: textDigests(0),
    repeated: new Set(),
    keys: () => features.flags,
    digest: undefined,
    read: () => undefined,
    unreadable: () => undefined,
    readRest: function* () {
      // Nothing is left.
    },
    unreadBytes: () => 0,
    unreadBody: () => undefined,
  };
}
