import type { BusyClock } from '../base/time/pausable-steps.js';
import { compileFeatures, type CompiledFeatures } from '../engine/compiled-features.js';
import type { Semantics } from '../engine/features.js';
import { ALL_SEMANTICS, isV2, NEWEST_V2, type V2Semantics } from '../engine/version-differences.js';
import type { ParsedBody } from './body/parse-snapshot.js';
import { namedSemantics, type FlagChange } from './flag-content.js';

/**
 * All flags of a namespace, as the service evaluates them, prepared for evaluation in this process. The flags of a
 * snapshot never change.
 */
export interface Snapshot extends ParsedBody {
  readonly compiled: CompiledFeatures;
  /** The evaluation rules of the Flipt version that wrote the body. */
  readonly semantics: Semantics;
  /** The version is the digest in the body, or else the ETag, or else a digest of the contents. */
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

/** Finds out which flags have changed from one snapshot to the next. A flag whose text is the same stays compiled. */
export async function changes(
  before: Snapshot,
  after: Snapshot,
  clock: BusyClock,
): Promise<readonly FlagChange[]> {
  const changed = await after.flags.changesSince(before.flags, clock);
  for (const [key, flag] of before.compiled.compiled)
    if (after.flags.shares(key, before.flags)) after.compiled.compiled.set(key, flag);
  return changed;
}

/** Returns the same snapshot, read by other rules of v2. */
export function readByRules({ flags, digest, version }: Snapshot, semantics: V2Semantics): Snapshot {
  const others = flags.byRules(semantics);
  return { flags: others, digest, semantics, version, compiled: compileFeatures(others.features, semantics) };
}

/** Finds out whether another release of v2 would answer differently from the same features. */
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
