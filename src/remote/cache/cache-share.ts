import { LRUCache } from 'lru-cache';

/** The limits of the store. */
export interface StoreSettings {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** Strangers get at most one part in this many of the cache. */
const SHARE = 10;

/**
 * Limits the entries that strangers can make through a browser, so that these replace each other and not those of all
 * users.
 */
export class CacheShare {
  private readonly maxSize: number;
  private readonly keys: LRUCache<string, object>;

  /** `drop` removes an entry from the store. */
  constructor({ maxEntries, maxBytes }: StoreSettings, drop: (key: string) => void) {
    this.maxSize = Math.max(1, Math.floor(maxBytes / SHARE));
    this.keys = new LRUCache({
      max: Math.max(1, Math.floor(maxEntries / SHARE)),
      maxSize: this.maxSize,
      disposeAfter: (_entry, key, reason) => {
        if (reason === 'evict') drop(key);
      },
    });
  }

  /** Whether an entry of this size may be kept at all. */
  hasRoomFor(size: number): boolean {
    return size <= this.maxSize;
  }

  add(key: string, entry: object, size: number): void {
    this.keys.set(key, entry, { size });
  }

  use(key: string): void {
    this.keys.get(key);
  }

  /** Learns that an entry has left the store. */
  remove(key: string, entry: object): void {
    if (this.keys.peek(key) === entry) this.keys.delete(key);
  }
}
