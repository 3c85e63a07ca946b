import { nextTurn, pausing, withPauses, type Turns } from '../base/time/pausable-steps.js';
import { compileFeatures, PARTS_PER_MS, type CompiledFeatures } from '../engine/compiled-features.js';
import { ALL_SEMANTICS, isV2, NEWEST_V2, type V2Semantics } from '../engine/version-differences.js';
import { BYTES_PER_MS } from './body/flag-reader.js';
import type { ParsedBody } from './body/parse-snapshot.js';
import { digestOf, flagContent, namedSemantics, segmentContent } from './flag-content.js';

/**
 * What the service evaluates a namespace's flags from, prepared for evaluation here. Only what has not been read of it
 * yet is added to it.
 */
export interface Snapshot extends ParsedBody {
  readonly compiled: CompiledFeatures;
  /** The digest in the body, else the ETag, else a digest of the contents. */
  readonly version: string;
}

/** The snapshot of a parsed body, with its large flags compiled. An unchanged flag of the `previous` one stays compiled. */
export async function snapshotOf(
  parsed: ParsedBody,
  clock: Turns,
  version = parsed.digest ?? digestOf(parsed.contents),
  previous?: Snapshot,
): Promise<Snapshot> {
  const known = [...(previous?.compiled.compiled ?? [])].filter(
    ([key]) => previous?.contents.get(key) === parsed.contents.get(key),
  );
  const compiled = compileFeatures(parsed.features, parsed.semantics, known, parsed.read);
  await compileLarge(compiled, clock);
  return { ...parsed, compiled, version };
}

async function compileLarge(compiled: CompiledFeatures, clock: Turns): Promise<void> {
  for (const steps of compiled.large()) {
    await nextTurn(clock);
    await withPauses(steps, pausing(PARTS_PER_MS, clock));
  }
}

/** Whether there is any flag in it, readable or not. */
export function hasFlags({ keys }: Pick<Snapshot, 'keys'>): boolean {
  return keys().size > 0;
}

/** Whether all flags have been read, and the body is no longer kept. */
export function isWhole({ unreadBody }: Snapshot): boolean {
  return unreadBody() === undefined;
}

/** Reads the flags that have not been read, some in each turn of the event loop, as long as they are needed. */
export async function readRest(snapshot: Snapshot, clock: Turns, isNeeded = () => true): Promise<void> {
  if (isWhole(snapshot)) return;
  const pause = pausing(BYTES_PER_MS, clock);
  for (const bytes of snapshot.readRest()) {
    const turn = pause(bytes);
    if (turn === undefined) continue;
    await turn;
    if (!isNeeded()) return;
  }
  await compileLarge(snapshot.compiled, clock);
}

/** The snapshot, read by other rules of v2. Only what they change is prepared again. */
export async function readByRules(
  snapshot: Snapshot,
  semantics: V2Semantics,
  clock: Turns,
): Promise<Snapshot> {
  await readRest(snapshot, clock);
  const { features, version } = snapshot;
  const contents = new Map(snapshot.contents);
  const segmentOf = (name: string) => {
    const segment = features.segments.get(name);
    return segment === undefined ? '' : segmentContent(segment);
  };
  const pause = pausing(PARTS_PER_MS, clock);
  for (const [key, flag] of features.flags) {
    const isSame = namedSemantics(flag, semantics) === namedSemantics(flag, snapshot.semantics);
    if (!isSame) contents.set(key, await withPauses(flagContent(flag, segmentOf, semantics), pause));
    await pause();
  }
  return snapshotOf({ ...snapshot, semantics, contents }, clock, version, snapshot);
}

/** Whether another release of v2 would answer differently from the same features. */
export async function dependsOnRelease(
  snapshot: Snapshot,
  clock: Turns,
  isNeeded: () => boolean,
): Promise<boolean> {
  if (!isV2(snapshot.semantics)) return false;
  await readRest(snapshot, clock, isNeeded);
  const pause = pausing(PARTS_PER_MS, clock);
  for (const flag of snapshot.features.flags.values()) {
    if (ALL_SEMANTICS.some((semantics) => isV2(semantics) && namedSemantics(flag, semantics) !== NEWEST_V2))
      return true;
    await pause(flag.type === 'BOOLEAN_FLAG_TYPE' ? 1 : 1 + flag.rules.length);
  }
  return false;
}
