import { LRUCache } from 'lru-cache';

export interface StoreSettings {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** The share of the cache: a tenth. */
const SHARE = 10;

/**
 * Bounds the entries that strangers can make, so that they replace each other and not those of all users. `drop`
 * removes an entry from the store.
 */
export function cacheShare({ maxEntries, maxBytes }: StoreSettings, drop: (key: string) => void) {
  const maxSize = Math.max(1, Math.floor(maxBytes / SHARE));
  const keys = new LRUCache<string, object>({
    max: Math.max(1, Math.floor(maxEntries / SHARE)),
    maxSize,
    disposeAfter: (_entry, key, reason) => {
      if (reason === 'evict') drop(key);
    },
  });
  return {
    /** Whether an entry of this size may be kept at all. */
    hasRoomFor: (size: number) => size <= maxSize,
    add(key: string, entry: object, size: number) {
      keys.set(key, entry, { size });
    },
    use(key: string) {
      keys.get(key);
    },
    /** The entry has left the store. */
    remove(key: string, entry: object) {
      if (keys.peek(key) === entry) keys.delete(key);
    },
  };
}
