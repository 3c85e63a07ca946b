import type { Clock } from '../time/clock.js';
import { nextTurn, pausing } from '../time/turns.js';
import { withPauses } from '../engine/pausable-steps.js';
import { compileFeatures, type CompiledFeatures } from '../engine/compiled-features.js';
import type { UnreadableFlag } from '../model/unreadable-flag.js';
import type { ParsedBody } from './body/read-body.js';
import { digestOf } from './changed-flags.js';

/** What the service evaluates a namespace's flags from, prepared for evaluation here. Never modified. */
export interface Snapshot extends ParsedBody {
  readonly compiled: CompiledFeatures;
  /** The digest in the body, else the ETag, else a digest of the contents. */
  readonly version: string;
}

/** Steps of compiling in one turn of the event loop: about two milliseconds. */
const STEPS_PER_TURN = 1_000;

/** The snapshot of a parsed body, with its large flags compiled. An unchanged flag of the `previous` one stays compiled. */
export async function snapshotOf(
  parsed: ParsedBody,
  clock: Pick<Clock, 'endOfTurn'>,
  version = parsed.digest ?? digestOf(parsed.contents),
  previous?: Snapshot,
): Promise<Snapshot> {
  const known = [...(previous?.compiled.compiled ?? [])].filter(
    ([key]) => previous?.contents.get(key) === parsed.contents.get(key),
  );
  const compiled = compileFeatures(parsed.features, parsed.semantics, known);
  for (const steps of compiled.large()) {
    await nextTurn(clock);
    await withPauses(steps, pausing(STEPS_PER_TURN, clock));
  }
  return { ...parsed, compiled, version };
}

const NONE: ReadonlyMap<string, UnreadableFlag> = new Map();

/** The flags of a new snapshot that cannot be read; `undefined` if they are the same as before. */
export function newlyUnreadable(
  before: Snapshot | undefined,
  after: Snapshot,
): ReadonlyMap<string, UnreadableFlag> | undefined {
  const { unreadable: last = NONE } = before?.features ?? {};
  const { unreadable: flags = NONE } = after.features;
  const isSame = flags.size === last.size && Array.from(flags.keys()).every((key) => last.has(key));
  return isSame ? undefined : flags;
}
