import type { Semantics } from './features.js';

export const ALL_SEMANTICS = ['v1', 'v2.8', 'v2'] as const satisfies readonly Semantics[];
export const DEFAULT_SEMANTICS: Semantics = 'v1';

/** A snapshot does not show which release of v2 wrote it. */
export type V2Semantics = Exclude<Semantics, 'v1'>;
export const NEWEST_V2: V2Semantics = 'v2';

export function isV2(semantics: Semantics): semantics is V2Semantics {
  return semantics !== 'v1';
}

/** Anything but a release of v2 below 2.9 counts as the newest. */
export function semanticsOfRelease(version: string | undefined): V2Semantics {
  const minor = /^v?2\.(\d+)\./.exec(version ?? '')?.[1];
  return minor !== undefined && Number(minor) < 9 ? 'v2.8' : NEWEST_V2;
}

/**
 * How a snapshot's ETag follows its changes. `wrong`: a change in one of several files can leave it as it was.
 * `doubtful`: right from a database, wrong from local or object storage.
 */
export type Tags = 'right' | 'doubtful' | 'wrong';

/** v1 hashes all files of a namespace since 1.59.2, v2 since 2.11. */
export function tagsOfRelease(release: string | undefined): Tags {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(release ?? '') ?? [];
  const [major, minor, patch] = numbers.map(Number);
  if (major === undefined || minor === undefined || patch === undefined || major > 2) return 'right';
  if (major === 2) return minor < 11 ? 'wrong' : 'right';
  return major < 1 || minor < 59 || (minor === 59 && patch < 2) ? 'doubtful' : 'right';
}

/*
 * One difference a line, so that no other file compares versions; `isV2` is for what matters at a single place. A new
 * version is a member of `Semantics` and a look at each line. 2.9 and 2.10 count as 2.11 also where they differ.
 */
type Difference = (semantics: Semantics) => boolean;
const onlyV1: Difference = (semantics) => !isV2(semantics);
const since29: Difference = (semantics) => semantics === 'v2';

/** Before, an entity beyond the last share gets no variant of the rule. */
export const scalesShares = since29;
/** v2 writes `null` for a variant without an attachment, v1 an empty text. */
export const writtenAttachment = (attachment: string, semantics: Semantics): string =>
  attachment || (isV2(semantics) ? 'null' : '');

/** v1 ignores the names of environments. */
export const hasEnvironments: Difference = isV2;
export const hasStream: Difference = isV2;

/** A rule with three segments occurs three times, each with each distribution three times. */
export const repeatsRules = onlyV1;
export const WITHOUT_DIGEST: Semantics = 'v1';

/** v2 ignores ranks in a features file. */
export const ordersByRank = onlyV1;
/** v1 takes only JSON text. */
export const takesLists: Difference = isV2;
/** A date without quotes is then not the text that was written. */
export const readsAnyValue = since29;
/** Because of an unreadable list. Before, its constraint matches nobody. */
export const leavesSegmentsOut = since29;
