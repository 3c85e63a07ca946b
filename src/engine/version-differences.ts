import type { Semantics } from './features.js';

/*
 * This file knows which versions of Flipt behave in which way. Each difference has a name here, and other files ask by
 * that name. Code that has to distinguish v1 from v2 in a single place asks `isV2`. For a version with other rules, add
 * a member to `Semantics` and check each function here.
 */

/** All semantics, from the oldest version to the newest. */
export const ALL_SEMANTICS = ['v1', 'v2.8', 'v2'] as const satisfies readonly Semantics[];

/** The semantics that are used if nobody says which version the features are from. */
export const DEFAULT_SEMANTICS: Semantics = 'v1';

/** The semantics of Flipt v2. A snapshot of Flipt v2 shows that it is v2, but not which release wrote it. */
export type V2Semantics = Exclude<Semantics, 'v1'>;

/** The semantics that are used for v2 while its release is not known. */
export const NEWEST_V2: V2Semantics = 'v2';

export function isV2(semantics: Semantics): semantics is V2Semantics {
  return semantics !== 'v1';
}

/**
 * Returns the semantics of a release of v2, such as `v2.8.0`. For `undefined`, or for text that names no release of v2,
 * the function returns the semantics of the newest release.
 */
export function semanticsOfRelease(version: string | undefined): V2Semantics {
  const minor = /^v?2\.(\d+)\./.exec(version ?? '')?.[1];
  return minor !== undefined && Number(minor) < 9 ? 'v2.8' : NEWEST_V2;
}

/**
 * Whether the ETag (for short, the tag) of a snapshot changes whenever the snapshot changes.
 *
 * - `right`: the ETag changes whenever the snapshot changes.
 * - `wrong`: if a namespace has several files, the ETag might stay the same after a change, because Flipt makes the
 *   ETag from the last file only.
 * - `doubtful`: the ETags of snapshots from a database are right, and all other ETags are `wrong`.
 */
export type Tags = 'right' | 'doubtful' | 'wrong';

/**
 * Returns whether the snapshots of a release have right, doubtful or wrong tags. Flipt makes the tags from all files of
 * a namespace since 1.59.2 and 2.11.0. For text that names no release, the function returns what is true of the newest
 * release.
 */
export function tagsOfRelease(release: string | undefined): Tags {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(release ?? '') ?? [];
  const [major, minor, patch] = numbers.map(Number);
  if (major === undefined || minor === undefined || patch === undefined || major > 2) return 'right';
  if (major === 2) return minor < 11 ? 'wrong' : 'right';
  return major < 1 || minor < 59 || (minor === 59 && patch < 2) ? 'doubtful' : 'right';
}

type Rule = (semantics: Semantics) => boolean;

const isV1: Rule = (semantics) => !isV2(semantics);
const isSince29: Rule = (semantics) => semantics === 'v2';

/* The functions below are about evaluation. */

/**
 * Returns whether Flipt scales the percentages of a rule so that they add up to 100. Flipt scales them from 2.9 on.
 * Older versions add the percentages up as they are, so that an entity whose bucket lies beyond the last share gets no
 * variant of the rule.
 */
export const scalesShares = isSince29;

/**
 * Returns an attachment in the form in which evaluation and snapshots of this version write it, even if a variant has
 * no attachment.
 */
export function writtenAttachment(attachment: string, semantics: Semantics): string {
  return attachment || (isV2(semantics) ? 'null' : '');
}

/* The functions below are about the service. */

/** Returns whether the service has environments. Flipt v1 ignores the names of environments. */
export const hasEnvironments: Rule = isV2;
/** Returns whether the service has a stream of changes. */
export const hasStream: Rule = isV2;
/** Returns whether the stream sends events. Before 2.9, the stream sends whole snapshots to everybody. */
export const streamsEvents = isSince29;

/* The functions below are about snapshots. */

/**
 * Returns whether Flipt sends a client only what the client's version can read. Flipt v2 sends the same to every
 * client.
 */
export const adaptsToClients = isV1;
/**
 * Returns whether a snapshot repeats a rule for each of its segments, and repeats the distributions as often in each
 * copy.
 */
export const repeatsRules = isV1;
/**
 * Returns whether variants and constraints have ids. Flipt v2 reads variants and constraints from files, which have no
 * ids.
 */
export const identifiesParts = isV1;
/**
 * Returns whether a snapshot has the names and descriptions of flags. In the snapshots of other versions, the names and
 * descriptions are empty.
 */
export const namesFlags: Rule = (semantics) => semantics !== 'v2';
/**
 * Returns whether a snapshot has the names and descriptions of segments. In the snapshots of other versions, the names
 * and descriptions are empty.
 */
export const namesSegments: Rule = (semantics) => semantics === 'v2.8';

/** A snapshot that has no digest was written by a Flipt of this version. */
export const WITHOUT_DIGEST: Semantics = 'v1';
/** Returns whether snapshots have a digest, which is also their version. */
export const hasDigest: Rule = (semantics) => semantics !== WITHOUT_DIGEST;

/* The functions below are about features files. */

/** Returns whether ranks order the rules of a flag. Flipt v2 reads ranks and ignores them. */
export const ordersByRank = isV1;
/** Returns whether a constraint can have a list as its value, and not only the text of a list. */
export const takesLists: Rule = isV2;
/**
 * Returns whether a constraint's value is read without a type, as v2 does from 2.11 on. From 2.11 on, a date without
 * quotes is no longer read as the text that was written, so that no attribute matches a constraint with that date.
 */
export const readsAnyValue = isSince29;
/**
 * Returns whether a segment is left out of every rule and rollout if one of its constraints has a list that cannot be
 * read, as in v2 from 2.11 on. In other versions, only the constraint with that list matches nobody.
 */
export const leavesSegmentsOut = isSince29;
/** Returns whether there is a limit on the members of a list. The management API of v1 refuses longer lists. */
export const limitsLists = isV1;
/** Returns whether an attachment can be a text or a number. Flipt v2 refuses a file with such an attachment. */
export const takesPlainAttachments = isV1;
/**
 * Returns whether a YAML value is converted to the type of its member. Flipt v2 checks types before it reads a file.
 */
export const convertsYaml = isV1;
