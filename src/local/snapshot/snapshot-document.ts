import { createHash } from 'node:crypto';
import type { Semantics } from '../../engine/features.js';
import type { NamespaceRecord } from '../../features/records.js';
import { type ClientAbilities, EVERY_ABILITY } from './client-version.js';
import { shownFlag } from './snapshot-flag.js';

export type SnapshotWriter = ReturnType<typeof snapshotWriter>;

/** A namespace's snapshot. */
export type SnapshotDocument = ReturnType<SnapshotWriter>;

/**
 * Writes namespaces as snapshots of this version of the service: `text` as JSON, and the `version` by which a client may
 * keep it; `undefined` if the service gives none.
 */
export function snapshotWriter(semantics: Semantics) {
  const digests = new WeakMap<NamespaceRecord, string>();
  return (namespace: NamespaceRecord, abilities: ClientAbilities) => {
    const { key, version } = namespace;
    // v2 shows every client the same.
    const written = { namespace, semantics, abilities: semantics === 'v1' ? abilities : EVERY_ABILITY };
    const flags = () => Array.from(namespace.flags.values(), (flag) => shownFlag(written, flag));
    if (semantics === 'v1') {
      // It changes with every write, even with one that changes nothing. Before the first write there is none.
      const etag = version === undefined ? undefined : sha1(version);
      return { version: etag, text: () => JSON.stringify({ namespace: { key }, flags: flags() }) };
    }
    // v2's version is a digest of what evaluation reads.
    const digest = digests.get(namespace) ?? sha1(JSON.stringify([key, flags()], withoutIdentity));
    digests.set(namespace, digest);
    return { version: digest, text: () => JSON.stringify({ namespace: { key }, flags: flags(), digest }) };
  };
}

/** What evaluation does not read. The digest of an older Flipt is the same, although its snapshot shows names. */
const IDENTITY = new Set(['id', 'ruleId', 'name', 'description', 'createdAt', 'updatedAt']);

function withoutIdentity(name: string, value: unknown): unknown {
  return IDENTITY.has(name) ? undefined : value;
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
