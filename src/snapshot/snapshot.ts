import type { CompiledFeatures } from '../engine/compiled-features.js';
import type { ParsedBody } from './body/parse.js';

/** What the service evaluates a namespace's flags from, ready to be evaluated here. Never modified. */
export interface Snapshot extends ParsedBody {
  readonly compiled: CompiledFeatures;
  /** The digest in the body, else the ETag, else a digest of the contents. */
  readonly version: string;
}
