import type { Semantics } from './features.js';

/*
 * Which versions of Flipt evaluate in which way. Everything else asks here: a new version with other rules is a new
 * member of `Semantics`, and a line in each of these functions.
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

/**
 * Whether the percentages of a rule are scaled so that they add up to 100. Flipt does so from 2.9 on. Before, v1 and v2
 * added them up as they are, so that an entity beyond the last one gets no variant.
 */
export function scalesShares(semantics: Semantics): boolean {
  return semantics === 'v2';
}

/** The rules of a release of v2, such as `v2.8.0`. `undefined`, or what is no release of v2: those of the newest. */
export function semanticsOfRelease(version: string | undefined): V2Semantics {
  const minor = /^v?2\.(\d+)\./.exec(version ?? '')?.[1];
  return minor !== undefined && Number(minor) < 9 ? 'v2.8' : NEWEST_V2;
}

/** How evaluation and snapshots write that a variant has no attachment. */
export function absentAttachment(semantics: Semantics): '' | 'null' {
  return isV2(semantics) ? 'null' : '';
}

/** Whether the stream of changes sends events. Before 2.9, it sends whole snapshots to everybody. */
export function streamsEvents(semantics: Semantics): boolean {
  return semantics === 'v2';
}

/** Of what a snapshot shows names and descriptions. It leaves the others empty. */
export function namesIn(semantics: Semantics): { readonly flags: boolean; readonly segments: boolean } {
  return { flags: semantics !== 'v2', segments: semantics === 'v2.8' };
}
