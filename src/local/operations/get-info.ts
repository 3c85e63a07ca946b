import type { Semantics } from '../../engine/features.js';
import { isV2 } from '../../engine/rules-of-version.js';
import type { Operation } from './operation.js';

/** The release whose answers were recorded, for each of the rules. */
const RELEASES: Readonly<Record<Semantics, string>> = { v1: 'v1.61.1', 'v2.8': 'v2.8.0', v2: 'v2.11.0' };

/** GET /meta/info: the version, by which a client knows the rules of evaluation. */
export const getInfo: Operation = ({ semantics }) => {
  const build = { version: RELEASES[semantics], isRelease: true };
  return { json: isV2(semantics) ? { build } : build };
};
