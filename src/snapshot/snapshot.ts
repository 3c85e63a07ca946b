import { nextTurn, pausing, type Clock } from '../clock.js';
import { withPauses } from '../engine/stepwise.js';
import { compileFeatures, type CompiledFeatures } from '../engine/compiled-features.js';
import type { ParsedBody } from './body/parse.js';
import { digestOf } from './changed-flags.js';

/** What the service evaluates a namespace's flags from, prepared for evaluation here. Never modified. */
export interface Snapshot extends ParsedBody {
  readonly compiled: CompiledFeatures;
  /** The digest in the body, else the ETag, else a digest of the contents. */
  readonly version: string;
}

/** Steps of compiling in one turn of the event loop: about two milliseconds. */
const STEPS_PER_TURN = 1_000;

/** The snapshot of a parsed body, with its large flags compiled. An unchanged part of the `previous` one stays compiled. */
export async function snapshotOf(
  parsed: ParsedBody,
  clock: Pick<Clock, 'endOfTurn'>,
  version = parsed.digest ?? digestOf(parsed.contents),
  previous?: Snapshot,
): Promise<Snapshot> {
  const isSameKind = previous?.semantics === parsed.semantics;
  const compiled = isSameKind
    ? previous.compiled.next(parsed.features)
    : compileFeatures(parsed.features, parsed.semantics);
  for (const key of compiled.large()) {
    await nextTurn(clock);
    await withPauses(compiled.compile(key), pausing(STEPS_PER_TURN, clock));
  }
  return { ...parsed, compiled, version };
}
