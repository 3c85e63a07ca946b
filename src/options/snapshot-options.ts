/**
 * How changes of flags are noticed. Flipt says with each poll whether anything has changed; a service that offers no
 * snapshots is asked again every five minutes.
 */
export interface WatchOptions {
  /**
   * Milliseconds between two polls, give or take 20 %. Longer where a whole snapshot takes the service long: 20 times
   * that. At least 1. Default 15000.
   */
  readonly pollMs?: number | undefined;
  /**
   * Keeps a connection to Flipt's stream of changes, beside the polls: changes are noticed in about a second. Needs
   * Flipt 2.9; without it, there are only the polls. Default false.
   */
  readonly stream?: boolean | undefined;
  /** The longest that an answer is fresh while the watch finds its flag unchanged, in milliseconds. Default 600000. */
  readonly maxAgeMs?: number | undefined;
}

/**
 * Keeps one text across restarts: a file, a database, a cache that several processes share. It may be slow, fail or
 * hang: that delays no resolve and fails none.
 */
export interface SnapshotStore {
  /**
   * Called once, when the provider starts. Resolves with the text that was saved last, or `undefined` if there is none.
   * It is given half of `initTimeoutMs`, so that the rest is left to ask the service; with `watch: false` all of it.
   */
  load(place: SnapshotPlace): Promise<string | undefined>;
  /**
   * Replaces the text, in one step: a later `load` must see all of it or all of the one before. Called after a change,
   * every 5 minutes while nothing changes, and on close: the text says when the service confirmed the snapshot last.
   * At most once every 5 seconds, never again before the last call has ended, and given 10 seconds at most.
   */
  save(text: string, place: SnapshotPlace): Promise<void>;
  /**
   * For a store that many instances share: with it, one of them polls Flipt, and all others read what it has found.
   * `save` is not called then. Default: none; each instance polls Flipt.
   */
  shared?(place: SnapshotPlace): SharedSnapshot;
}

/** Whose snapshot it is. A store that holds several keeps them apart by this. */
export interface SnapshotPlace {
  /** Base address of the service, without a slash at its end. */
  readonly url: string;
  /** Key of the namespace. */
  readonly namespace: string;
  /** `undefined`: none is configured. */
  readonly environment: string | undefined;
}

/**
 * One snapshot that many instances share, with the lease of the one that polls Flipt. Each call is one step: nothing that
 * another instance does happens in between. It rejects if the store cannot be asked. It is given 1 second, and called
 * again only when the last call has ended; after a failure each instance polls Flipt by itself until the store works.
 */
export interface SharedSnapshot {
  /**
   * Gives `holder` the lease for `leaseMs` if it is free, or renews it if it is the holder's already; with `leaseMs` 0 it
   * does neither. Says what there is.
   */
  turn(holder: string, leaseMs: number): Promise<SharedTurn>;
  /**
   * Writes the record, and the snapshot if it has changed, if the holder still has the lease with this fence.
   * `'lost'`: it has not, and nothing was written. `'missing'`: nothing was written, since the store does not hold this
   * version; it is called again with `text`.
   */
  publish(publication: SharedPublication): Promise<'published' | 'lost' | 'missing'>;
  /** Gives the lease back if it is the holder's, so that another instance does not have to wait until it expires. */
  release(holder: string): Promise<void>;
}

/** What an instance learns from the store. */
export interface SharedTurn {
  /**
   * A number that differs each time the lease is given, so that a holder that has slept cannot write: the lease is the
   * asker's. `undefined`: it is not.
   */
  readonly fence?: number | undefined;
  /** What the store holds; `undefined`: nothing. */
  readonly record?: SharedRecord | undefined;
  /** Milliseconds by the store's clock, whatever its beginning. */
  readonly time: number;
}

/** What the store says of its snapshot; small, since each instance reads it every `pollMs`. */
export interface SharedRecord {
  /** Differs for each snapshot. */
  readonly version: string;
  /** When the service confirmed it last, by the store's clock. */
  readonly confirmedAt: number;
  /** Milliseconds that the service took for the last whole snapshot. */
  readonly fullBodyMs: number;
}

/** What the holder of the lease has found. */
export interface SharedPublication extends SharedRecord {
  /** The instance that has the lease. */
  readonly holder: string;
  /** Of its lease, when it asked the service. */
  readonly fence: number;
  /** What `load` gives from now on; `undefined`: the same as before. */
  readonly text: string | undefined;
}

/** Which snapshot there is before the service has served one. */
export interface SnapshotOptions {
  /**
   * Path of a file that keeps the last snapshot across restarts; written in one step, for its owner alone. Several
   * processes may share it. Excludes `store` and `reference`. Default: none.
   */
  readonly file?: string | undefined;
  /** Keeps the last snapshot somewhere else. Excludes `file` and `reference`. Default: none. */
  readonly store?: SnapshotStore | undefined;
  /**
   * A snapshot to start from where none is kept: what `getSnapshot` or Flipt gives, or a features document as an object.
   * Default: none.
   */
  readonly initial?: object | undefined;
  /** Whose rules of evaluation apply to a features document as `initial`: `'v1'` or `'v2'`. Default `'v1'`. */
  readonly semantics?: 'v1' | 'v2' | undefined;
}
