import { createHash } from 'node:crypto';
import type { Semantics } from '../../engine/features.js';
import type { NamespaceRecord } from '../state/records.js';
import { type ClientAbilities, EVERY_ABILITY } from './client-abilities.js';
import { shownFlag } from './snapshot-flag.js';

/** A namespace's snapshot. */
export interface SnapshotDocument {
  /** The version by which a client may keep the snapshot; `undefined` if the service gives none. */
  readonly version: string | undefined;
  /** JSON. */
  readonly text: () => string;
}

export type SnapshotWriter = (namespace: NamespaceRecord, abilities: ClientAbilities) => SnapshotDocument;

/** Writes namespaces as snapshots of this version of the service. */
export function snapshotWriter(semantics: Semantics): SnapshotWriter {
  return semantics === 'v1' ? writeV1 : writerV2();
}

/** v1's version changes with every write, even with one that changes nothing. Before the first write there is none. */
const writeV1: SnapshotWriter = (namespace, abilities) => ({
  version: namespace.version === undefined ? undefined : sha1(namespace.version),
  text: () =>
    JSON.stringify({
      namespace: { key: namespace.key },
      flags: shownFlags({ namespace, semantics: 'v1', abilities }),
    }),
});

/** v2's version is a digest of what evaluation reads. v2 shows every client the same. */
function writerV2(): SnapshotWriter {
  const digests = new WeakMap<NamespaceRecord, string>();
  return (namespace) => {
    const flags = (): readonly object[] =>
      shownFlags({ namespace, semantics: 'v2', abilities: EVERY_ABILITY });
    const digest = digests.get(namespace) ?? sha1(JSON.stringify([namespace.key, flags()], withoutIdentity));
    digests.set(namespace, digest);
    return {
      version: digest,
      text: () => JSON.stringify({ namespace: { key: namespace.key }, flags: flags(), digest }),
    };
  };
}

function shownFlags(written: Parameters<typeof shownFlag>[0]): readonly object[] {
  return Array.from(written.namespace.flags.values(), (flag) => shownFlag(written, flag));
}

const IDENTITY = new Set(['id', 'ruleId', 'createdAt', 'updatedAt']);

function withoutIdentity(name: string, value: unknown): unknown {
  return IDENTITY.has(name) ? undefined : value;
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
