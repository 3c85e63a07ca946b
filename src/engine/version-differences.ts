import type { Semantics } from './features.js';

/*
 * The functions in this file say how the versions of Flipt differ. Most differences have a function of their own, and
 * other files call such a function instead of comparing versions. If a difference between v1 and v2 matters only at a
 * single place in the code, that place can call `isV2`. To support a version of Flipt with other rules, add a member to
 * `Semantics` and check each function in this file.
 */

/** All sets of evaluation rules, from the oldest version of Flipt to the newest. */
export const ALL_SEMANTICS = ['v1', 'v2.8', 'v2'] as const satisfies readonly Semantics[];

/** The evaluation rules that apply if the user does not say for which version of Flipt the features are. */
export const DEFAULT_SEMANTICS: Semantics = 'v1';

/**
 * The evaluation rules of the releases of Flipt v2. A snapshot shows that Flipt v2 wrote it, but not which release of
 * v2.
 */
export type V2Semantics = Exclude<Semantics, 'v1'>;

/** The evaluation rules that apply to a Flipt v2 while its release is not known. */
export const NEWEST_V2: V2Semantics = 'v2';

export function isV2(semantics: Semantics): semantics is V2Semantics {
  return semantics !== 'v1';
}

/**
 * Returns the evaluation rules of a release of Flipt v2, such as `v2.8.0`. If `version` is `undefined`, or names no
 * release of v2, the function returns the rules of the newest release.
 */
export function semanticsOfRelease(version: string | undefined): V2Semantics {
  const minor = /^v?2\.(\d+)\./.exec(version ?? '')?.[1];
  return minor !== undefined && Number(minor) < 9 ? 'v2.8' : NEWEST_V2;
}

/**
 * Whether the ETag (for short, the tag) of Flipt's snapshot changes with every change of the snapshot.
 *
 * - `right`: the ETag changes with every change of the snapshot.
 * - `wrong`: if a namespace has several files, the ETag might stay the same after a change, because Flipt makes the
 *   ETag from the last file only.
 * - `doubtful`: the ETags of snapshots from a database are `right`, and those of snapshots from local or object storage
 *   are `wrong`.
 */
export type Tags = 'right' | 'doubtful' | 'wrong';

/**
 * Returns whether the ETags of a release of Flipt are right, doubtful or wrong. Flipt v1 makes the ETag from all files
 * of a namespace since 1.59.2, and Flipt v2 since 2.11.0. If `release` names no release, the function returns `right`,
 * because the ETags of the newest release are right.
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

/* The next functions are about how versions of Flipt evaluate and send variants. */

/**
 * Returns whether Flipt scales the percentages of a rule so that they add up to 100. Flipt 2.9 and newer versions scale
 * the percentages. Older versions use the percentages as they are, so that an entity whose bucket lies beyond the last
 * share gets no variant of the rule.
 */
export const scalesShares = isSince29;

/**
 * Returns an attachment in the form in which this version of Flipt sends it. If a variant has no attachment, Flipt v1
 * sends an empty text, and Flipt v2 sends the text `null`.
 */
export function writtenAttachment(attachment: string, semantics: Semantics): string {
  return attachment || (isV2(semantics) ? 'null' : '');
}

/* The next functions are about the API of Flipt's versions. */

/** Returns whether this version of Flipt has environments. Flipt v1 ignores the names of environments. */
export const hasEnvironments: Rule = isV2;
/** Returns whether this version of Flipt has a stream of changes. */
export const hasStream: Rule = isV2;
/**
 * Returns whether the stream of changes can send events. Before 2.9, Flipt v2 sends whole snapshots to every client of
 * the stream.
 */
export const streamsEvents = isSince29;

/* The next functions are about the snapshots of Flipt's versions. */

/**
 * Returns whether Flipt leaves out of a snapshot what the client's version cannot read. Flipt v2 sends the same
 * snapshot to every client.
 */
export const adaptsToClients = isV1;
/**
 * Returns whether a snapshot contains a rule with several segments several times. In Flipt v1, a rule with three
 * segments occurs three times, and each copy contains each distribution three times.
 */
export const repeatsRules = isV1;
/**
 * Returns whether a snapshot contains the ids of constraints, and of the variants in distributions. Flipt v2 reads
 * variants and constraints from files, which contain no ids.
 */
export const identifiesParts = isV1;
/**
 * Returns whether a snapshot has the names and descriptions of flags. In the snapshots of Flipt 2.9 and newer versions,
 * the names and descriptions of flags are empty.
 */
export const namesFlags: Rule = (semantics) => semantics !== 'v2';
/**
 * Returns whether a snapshot has the names and descriptions of segments. Only the snapshots of Flipt 2.0 to 2.8 have
 * the names and descriptions of segments.
 */
export const namesSegments: Rule = (semantics) => semantics === 'v2.8';

/** A snapshot that has no digest was written by a Flipt of this version. */
export const WITHOUT_DIGEST: Semantics = 'v1';
/** Returns whether a snapshot has a digest, which is a hash of what evaluation reads. */
export const hasDigest: Rule = (semantics) => semantics !== WITHOUT_DIGEST;

/* The next functions are about how Flipt's versions read features files. */

/**
 * Returns whether Flipt sorts the rules of a flag by their ranks. Flipt v2 accepts ranks in a file, but ignores them.
 */
export const ordersByRank = isV1;
/**
 * Returns whether the value of a constraint in a features file can be a list. Flipt v1 accepts only a text that
 * contains a JSON array.
 */
export const takesLists: Rule = isV2;
/**
 * Returns whether the value of a constraint in a features file can be of any type, as in Flipt 2.11 and newer. Since
 * 2.11, Flipt does not read a date without quotes as the text that was written, so that a comparison with such a date
 * usually fails. Flipt 2.9 and 2.10 count as 2.11 here, because they share the semantics `v2`.
 */
export const readsAnyValue = isSince29;
/**
 * Returns whether an unreadable list in one constraint removes the whole segment from all rules and rollouts, as in
 * Flipt 2.11 and newer. In older versions of Flipt, only the constraint with the unreadable list matches nobody. Flipt
 * 2.9 and 2.10 count as 2.11 here, because they share the semantics `v2`.
 */
export const leavesSegmentsOut = isSince29;
/**
 * Returns whether Flipt limits the number of members in the list of a constraint. The management API of Flipt v1
 * refuses a list of more than 100 members.
 */
export const limitsLists = isV1;
/**
 * Returns whether an attachment in a features file can be something other than a mapping or a list, such as a text.
 * Flipt v2 refuses a file with an attachment that is neither a mapping nor a list.
 */
export const takesPlainAttachments = isV1;
/**
 * Returns whether Flipt converts a YAML value to the type that it expects. Flipt v2 refuses a YAML value that does not
 * have the expected type.
 */
export const convertsYaml = isV1;
