import type { SnapshotPlace } from '../../src/options/snapshot-store.js';
import { ORIGIN } from './origin.fixture.js';

/** What a store or a file holds: a snapshot that Flipt confirmed at the given time. */
export function savedText(
  body: object,
  { etag, confirmedAt = 0 }: { readonly etag?: string; readonly confirmedAt?: number } = {},
  { url, namespace, environment }: SnapshotPlace = ORIGIN,
): string {
  const date = new Date(confirmedAt).toISOString();
  const about = { format: 2, url, environment, etag, confirmedAt: date, namespace: { key: namespace } };
  return JSON.stringify({ ...about, ...body });
}

/** A store in memory for one instance, which loads the last text that it has saved. */
export function savingStore() {
  const saved: string[] = [];
  const store = {
    load: () => Promise.resolve(saved.at(-1)),
    save: (text: string): Promise<void> => {
      saved.push(text);
      return Promise.resolve();
    },
  };
  return { store, saved };
}
