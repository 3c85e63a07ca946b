import { LRUCache } from 'lru-cache';

/** The bounds of the store. */
export interface StoreSettings {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/** The share of the cache: a tenth. */
const SHARE = 10;

/** Bounds the entries that strangers can make, so that they replace each other and not those of all users. */
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

  /** The entry has left the store. */
  remove(key: string, entry: object): void {
    if (this.keys.peek(key) === entry) this.keys.delete(key);
  }
}
