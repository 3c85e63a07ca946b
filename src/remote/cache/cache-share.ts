import { LRUCache } from 'lru-cache';

/** The limits of the store of cached answers. */
export interface StoreSettings {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

/**
 * The limits for entries of contexts to which a browser has added attributes are the limits of the whole cache, divided
 * by this number.
 */
const SHARE = 10;

/**
 * Limits the cache entries of contexts to which a browser has added attributes, because a browser can send any number
 * of different attributes. If browsers cause too many entries, the entries of browsers push each other out of the
 * cache, and not the entries of the app's own contexts.
 */
export class CacheShare {
  private readonly maxEntries: number;
  private readonly maxSize: number;
  private readonly keys: LRUCache<string, object>;

  /** `drop` removes the entry of a key from the store. */
  constructor({ maxEntries, maxBytes }: StoreSettings, drop: (key: string) => void) {
    this.maxEntries = Math.max(1, Math.floor(maxEntries / SHARE));
    this.maxSize = Math.max(1, Math.floor(maxBytes / SHARE));
    this.keys = new LRUCache({
      maxSize: this.maxSize,
      disposeAfter: (_entry, key, reason) => {
        if (reason === 'evict') drop(key);
      },
    });
  }

  /** Returns `true` if an entry of this size, in bytes, fits into the browsers' share of the cache at all. */
  hasRoomFor(size: number): boolean {
    return size <= this.maxSize;
  }

  add(key: string, entry: object, size: number): void {
    if (this.keys.size >= this.maxEntries && !this.keys.has(key)) this.keys.pop();
    this.keys.set(key, entry, { size });
  }

  use(key: string): void {
    this.keys.get(key);
  }

  /** Call this function when an entry has left the store. */
  remove(key: string, entry: object): void {
    if (this.keys.peek(key) === entry) this.keys.delete(key);
  }
}
