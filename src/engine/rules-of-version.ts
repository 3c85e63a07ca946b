import type { Semantics } from './features.js';

/*
 * Which versions of Flipt behave in which way. A rule has its name here, and the others ask by it; where one place alone
 * has to know v1 from v2, it asks `isV2`. A new version with other rules is a new member of `Semantics`, and a look at
 * each rule here.
 */

/** All rules of evaluation, from the oldest version to the newest. */
export const ALL_SEMANTICS = ['v1', 'v2.8', 'v2'] as const satisfies readonly Semantics[];

/** The rules that count where nobody says whose features they are. */
export const DEFAULT_SEMANTICS: Semantics = 'v1';

/** Rules of Flipt v2. Its snapshot shows that it is v2, but not which release wrote it. */
export type V2Semantics = Exclude<Semantics, 'v1'>;

/** The rules that count where nobody knows the release. */
export const NEWEST_V2: V2Semantics = 'v2';

export function isV2(semantics: Semantics): semantics is V2Semantics {
  return semantics !== 'v1';
}

/** The rules of a release of v2, such as `v2.8.0`. `undefined`, or what is no release of v2: those of the newest. */
export function semanticsOfRelease(version: string | undefined): V2Semantics {
  const minor = /^v?2\.(\d+)\./.exec(version ?? '')?.[1];
  return minor !== undefined && Number(minor) < 9 ? 'v2.8' : NEWEST_V2;
}

/**
 * Whether the tag (ETag) of a snapshot changes whenever the snapshot does. `wrong`: not if a namespace has several files,
 * because only the last one makes the tag. `doubtful`: the same, but snapshots from a database have right tags.
 */
export type Tags = 'right' | 'doubtful' | 'wrong';

/** The tags of a release: Flipt has made them of all files since 1.59.2 and 2.11.0. No release: those of the newest. */
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

/* Evaluation. */

/**
 * Whether the percentages of a rule are scaled so that they add up to 100. Flipt does so from 2.9 on. Before, v1 and v2
 * added them up as they are, so that an entity beyond the last one gets no variant.
 */
export const scalesShares = isSince29;

/** An attachment as evaluation and snapshots write it, also if there is none. */
export function writtenAttachment(attachment: string, semantics: Semantics): string {
  return attachment || (isV2(semantics) ? 'null' : '');
}

/* The service. */

/** Whether it has environments. v1 ignores their names. */
export const hasEnvironments: Rule = isV2;
/** Whether it has a stream of changes. */
export const hasStream: Rule = isV2;
/** Whether the stream sends events. Before 2.9, it sends whole snapshots to everybody. */
export const streamsEvents = isSince29;

/* Snapshots. */

/** Whether the service holds them in memory. v1 reads its database for each flag, whenever it is asked. */
export const holdsSnapshots: Rule = isV2;
/** Whether a client gets only what its version can read. v2 shows every client the same. */
export const adaptsToClients = isV1;
/** Whether a rule is there once for each of its segments, and each copy repeats the distributions as often. */
export const repeatsRules = isV1;
/** Whether variants and constraints have ids. v2 reads them from files, which have none. */
export const identifiesParts = isV1;
/** Whether the names and descriptions of flags are there. Otherwise they are empty. */
export const namesFlags: Rule = (semantics) => semantics !== 'v2';
/** Whether those of segments are there. */
export const namesSegments: Rule = (semantics) => semantics === 'v2.8';

/** The rules of a snapshot that has no digest. */
export const WITHOUT_DIGEST: Semantics = 'v1';
/** Whether they have a digest, which is also their version. */
export const hasDigest: Rule = (semantics) => semantics !== WITHOUT_DIGEST;

/* Features files. */

/** Whether ranks order the rules of a flag. v2 reads them and ignores them. */
export const ordersByRank = isV1;
/** Whether a constraint may have a list as its value, and not only a list's text. */
export const takesLists: Rule = isV2;
/** Whether a list may have a limited number of members. v1's management refuses more. */
export const limitsLists = isV1;
/** Whether an attachment may be a text or a number. v2 refuses a file with one. */
export const takesPlainAttachments = isV1;
/** Whether YAML is converted to the type of its member. v2 checks types before it reads a file. */
export const convertsYaml = isV1;
