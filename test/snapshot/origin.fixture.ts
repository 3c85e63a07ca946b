import type { SnapshotPlace } from '../../src/options/snapshot-store.js';

/** Where the snapshots of these tests come from. */
export const ORIGIN: SnapshotPlace = {
  url: 'http://flipt:8080',
  namespace: 'default',
  environment: undefined,
};
