import type { Semantics } from './features.js';

/*
 * This file knows which versions of Flipt behave in which way. Each difference has a name here, and other files ask by
 * that name. A single place that has to know v1 from v2 asks `isV2`. For a version with other rules, add a member to
 * `Semantics` and check each function here.
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
 * it returns those of the newest.
 */
export function semanticsOfRelease(version: string | undefined): V2Semantics {
  const minor = /^v?2\.(\d+)\./.exec(version ?? '')?.[1];
  return minor !== undefined && Number(minor) < 9 ? 'v2.8' : NEWEST_V2;
}

/**
 * Whether the tag (ETag) of a snapshot changes whenever the snapshot does.
 *
 * - `right`: it does.
 * - `wrong`: it does not if a namespace has several files, because the tag is made from the last one only.
 * - `doubtful`: like `wrong`, but the tags of snapshots from a database are right.
 */
export type Tags = 'right' | 'doubtful' | 'wrong';

/**
 * Returns what the tags of a release are like. Flipt makes them from all files since 1.59.2 and 2.11.0. For text that
 * names no release, it returns what the newest does.
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
 * Whether Flipt scales the percentages of a rule so that they add up to 100. Flipt scales them from 2.9 on. Older
 * versions add them up as they are, so that an entity beyond the last one gets no variant of the rule.
 */
export const scalesShares = isSince29;

/** Returns an attachment as evaluation and snapshots write it, also if there is none. */
export function writtenAttachment(attachment: string, semantics: Semantics): string {
  return attachment || (isV2(semantics) ? 'null' : '');
}

/* The functions below are about the service. */

/** Whether the service has environments. Flipt v1 ignores the names of environments. */
export const hasEnvironments: Rule = isV2;
/** Whether the service has a stream of changes. */
export const hasStream: Rule = isV2;
/** Whether the stream sends events. Before 2.9, it sends whole snapshots to everybody. */
export const streamsEvents = isSince29;

/* The functions below are about snapshots. */

/** Whether the service holds snapshots in memory. v1 reads its database for each flag, whenever a client asks. */
export const holdsSnapshots: Rule = isV2;
/** Whether a client gets only what its version can read. v2 sends the same to every client. */
export const adaptsToClients = isV1;
/** Whether a snapshot repeats a rule for each of its segments, and repeats the distributions as often in each copy. */
export const repeatsRules = isV1;
/** Whether variants and constraints have ids. v2 reads them from files, which have no ids. */
export const identifiesParts = isV1;
/** Whether a snapshot has the names and descriptions of flags. In other snapshots they are empty. */
export const namesFlags: Rule = (semantics) => semantics !== 'v2';
/** Whether a snapshot has the names and descriptions of segments. In other snapshots they are empty. */
export const namesSegments: Rule = (semantics) => semantics === 'v2.8';

/** A snapshot without a digest was written by this version. */
export const WITHOUT_DIGEST: Semantics = 'v1';
/** Whether snapshots have a digest, which is also their version. */
export const hasDigest: Rule = (semantics) => semantics !== WITHOUT_DIGEST;

/* The functions below are about features files. */

/** Whether ranks order the rules of a flag. v2 reads ranks and ignores them. */
export const ordersByRank = isV1;
/** Whether a constraint may have a list as its value, and not only the text of a list. */
export const takesLists: Rule = isV2;
/**
 * Whether a constraint's value is read without a type, as v2 does from 2.11 on. A date without quotes is then no longer
 * the text that was written, so that nothing compares with it.
 */
export const readsAnyValue = isSince29;
/**
 * Whether a segment is left out of every rule and rollout if one of its constraints has a list that cannot be read, as
 * in v2 from 2.11 on. In other versions, only the constraint itself matches nobody.
 */
export const leavesSegmentsOut = isSince29;
/** Whether there is a limit on the members of a list. The management API of v1 refuses longer lists. */
export const limitsLists = isV1;
/** Whether an attachment may be a text or a number. Flipt v2 refuses a file with such an attachment. */
export const takesPlainAttachments = isV1;
/** Whether a YAML value is converted to the type of its member. v2 checks types before it reads a file. */
export const convertsYaml = isV1;
