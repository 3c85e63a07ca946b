import type { BusyClock } from '../base/time/pausable-steps.js';
import { compileFeatures, type CompiledFeatures } from '../engine/compile.js';
import type { Semantics } from '../engine/features.js';
import { ALL_SEMANTICS, isV2, NEWEST_V2, type V2Semantics } from '../engine/version-differences.js';
import type { ParsedBody } from './body/parse-snapshot.js';
import { namedSemantics, type FlagChange } from './flag-content.js';

/**
 * All flags of a namespace, prepared so that this process can evaluate them as the service does. The flags of a
 * snapshot never change.
 */
export interface Snapshot extends ParsedBody {
  readonly compiled: CompiledFeatures;
  /** The rules by which the flags are evaluated, usually those of the Flipt version that wrote the body. */
  readonly semantics: Semantics;
  /**
   * The version of the snapshot, which is the digest that Flipt has written into the body. If the body has no digest,
   * the version is the ETag, or, if there is no ETag either, a digest of the flags.
   */
  readonly version: string;
}

/** Makes a snapshot from a parsed body. */
export async function snapshotOf(
  { flags, digest }: ParsedBody,
  clock: BusyClock,
  version = digest,
): Promise<Snapshot> {
  const compiled = compileFeatures(flags.features, flags.semantics);
  const { semantics } = flags;
  return { flags, digest, compiled, semantics, version: version ?? (await flags.digest(clock)) };
}

/** Returns whether the snapshot has any flag, readable or not. */
export function hasFlags({ flags }: Pick<Snapshot, 'flags'>): boolean {
  return flags.keys().size > 0;
}

/**
 * Returns which flags have changed from one snapshot to the next. If the later snapshot takes over a parsed flag of the
 * earlier snapshot, it takes over the compiled flag as well.
 */
export async function changes(
  before: Snapshot,
  after: Snapshot,
  clock: BusyClock,
): Promise<readonly FlagChange[]> {
  return after.flags.changesSince(before.flags, clock);
}

/** Returns a copy of the snapshot that is evaluated by the rules `semantics` of Flipt v2. */
export function readByRules({ flags, digest, version }: Snapshot, semantics: V2Semantics): Snapshot {
  const others = flags.byRules(semantics);
  return { flags: others, digest, semantics, version, compiled: compileFeatures(others.features, semantics) };
}

/**
 * Returns whether another release of Flipt v2 could give other answers from the same flags. For a snapshot of Flipt v1,
 * the result is `false`. If `isNeeded` returns `false`, the search through the flags ends early.
 */
export async function dependsOnRelease(
  { flags }: Snapshot,
  clock: BusyClock,
  isNeeded: () => boolean,
): Promise<boolean> {
  if (!isV2(flags.semantics)) return false;
  let depends = false;
  await flags.each(clock, (_, flag) => {
    depends =
      flag !== undefined &&
      !('reason' in flag) &&
      ALL_SEMANTICS.some((semantics) => isV2(semantics) && namedSemantics(flag, semantics) !== NEWEST_V2);
    return !depends && isNeeded();
  });
  return depends;
}
