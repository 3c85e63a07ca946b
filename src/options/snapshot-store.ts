/* A store that keeps the snapshot, for one instance or for many, implements these interfaces. */

/**
 * Keeps one text across restarts, for example in a file, in a database, or in a cache that several processes share. A
 * store may be slow, fail or hang: that neither delays a resolve nor makes it fail.
 */
export interface SnapshotStore {
  /**
   * Returns the text that was saved last, or `undefined` if there is none. The provider calls `load` when it starts,
   * and the start waits 250 ms for the text. `load` may take half of `initTimeoutMs`: until then, the provider uses the
   * text if Flipt has served no snapshot. With `watch: false`, `load` may take all of `initTimeoutMs`. If the store has
   * `shared`, the provider calls `load` again after each change.
   */
  load(place: SnapshotPlace): Promise<string | undefined>;
  /**
   * Replaces the text in one step: a later `load` must see all of this text, or all of the one before. The provider
   * calls `save` after a change, on close, 30 seconds (or `pollMs`) after a failure, and every 5 minutes while nothing
   * changes, because the text says when Flipt last confirmed the snapshot. `save` is called at most once every 5
   * seconds, and never before the last call has ended. A call may take 10 seconds; one that has not ended after two
   * minutes counts as lost.
   */
  save(text: string, place: SnapshotPlace): Promise<void>;
  /**
   * Returns the shared snapshot of a store that many instances share. One of the instances polls Flipt, and all others
   * read its result. The provider then does not call `save`. Default: none, and each instance polls Flipt.
   */
  shared?(place: SnapshotPlace): SharedSnapshot;
}

/**
 * The service, namespace and environment that a snapshot belongs to. A store that holds several snapshots keeps them
 * apart by these.
 */
export interface SnapshotPlace {
  /** The base address of the service, without a slash at the end. */
  readonly url: string;
  /** The key of the namespace. */
  readonly namespace: string;
  /** The environment; `undefined` if none is configured. */
  readonly environment: string | undefined;
}

/**
 * One snapshot that many instances share, with a lease for the instance that polls Flipt. Each call must be one step,
 * so that no step of another instance comes in between. A call rejects if the store cannot be asked.
 *
 * A call has failed if it takes longer than 1 second. There are two exceptions: `publish` with a text may take 5
 * seconds, and the first call of `turn` 250 ms. A call that is late goes on, and the store gets no other call until it
 * has ended, or for two minutes. After a failure, each instance polls Flipt by itself until the store works again.
 */
export interface SharedSnapshot {
  /**
   * Gives `holder` the lease for `leaseMs` milliseconds if the lease is free, or renews it if `holder` has it already.
   * With `leaseMs` 0 it does neither. Returns what the store holds.
   */
  turn(holder: string, leaseMs: number): Promise<SharedTurn>;
  /**
   * Writes the record, and the snapshot if `text` is given, but only if the holder still has the lease with this fence.
   * Otherwise it writes nothing and returns `'lost'`. If `text` is not given and the store does not hold this version,
   * it writes nothing and returns `'missing'`: the provider then calls it again with `text`.
   */
  publish(publication: SharedPublication): Promise<'published' | 'lost' | 'missing'>;
  /** Gives the lease back if `holder` has it, so that another instance need not wait until it expires. */
  release(holder: string): Promise<void>;
}

/** What an instance reads from the store. */
export interface SharedTurn {
  /**
   * The number of the lease if `holder` has it; otherwise `undefined`. It differs each time the lease is given to
   * somebody, so that a holder that was asleep cannot write.
   */
  readonly fence?: number | undefined;
  /** The record of the snapshot that the store holds; `undefined` if it holds none. */
  readonly record?: SharedRecord | undefined;
  /** The time of the store's clock in milliseconds. The clock may count from any point. */
  readonly time: number;
}

/** What the store says about its snapshot. This record is small, because each instance reads it every `pollMs`. */
export interface SharedRecord {
  /** The version of the snapshot. Each snapshot has another version. */
  readonly version: string;
  /** The time when Flipt last confirmed the snapshot, in milliseconds of the store's clock. */
  readonly confirmedAt: number;
}

/** The result of a poll by the holder of the lease. */
export interface SharedPublication extends SharedRecord {
  /** The instance that has the lease. */
  readonly holder: string;
  /** The number that the lease had when the holder asked Flipt. */
  readonly fence: number;
  /** The text that `load` returns from now on; `undefined` if it is the same as before. */
  readonly text: string | undefined;
}
