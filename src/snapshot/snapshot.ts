import { compileFeatures, type CompiledFeatures } from '../engine/compiled-features.js';
import type { ParsedBody } from './body/parse.js';
import { digestOf } from './changed-flags.js';

/** What the service evaluates a namespace's flags from, prepared for evaluation here. Never modified. */
export interface Snapshot extends ParsedBody {
  readonly compiled: CompiledFeatures;
  /** The digest in the body, else the ETag, else a digest of the contents. */
  readonly version: string;
}

/** The snapshot of a parsed body. An unchanged part of the `previous` snapshot stays compiled. */
export function snapshotOf(
  parsed: ParsedBody,
  version = parsed.digest ?? digestOf(parsed.contents),
  previous?: Snapshot,
): Snapshot {
  const isSameKind = previous?.semantics === parsed.semantics;
  const compiled = isSameKind
    ? previous.compiled.next(parsed.features)
    : compileFeatures(parsed.features, parsed.semantics);
  return { ...parsed, compiled, version };
}
