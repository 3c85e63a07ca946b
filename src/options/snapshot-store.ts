/* A store that keeps the snapshot, for one instance or for many, implements these interfaces. */

/**
 * Keeps one text across restarts, for example in a file, in a database, or in a cache that several processes share. A
 * store that is slow, fails or hangs neither delays a resolve nor makes a resolve fail.
 */
export interface SnapshotStore {
  /**
   * Returns the text that was saved last, or `undefined` if no text was saved. The provider calls `load` when it
   * starts, and the start waits 250 ms for the text. `load` can take half of `initTimeoutMs`: if it ends in that time,
   * the provider uses the text unless Flipt has served a snapshot before. With `watch: false`, `load` can take all of
   * `initTimeoutMs`. If the store has `shared`, the provider calls `load` again after each change of the shared
   * snapshot.
   */
  load(place: SnapshotPlace): Promise<string | undefined>;
  /**
   * Replaces the text in one step: a later `load` must return either the whole new text or the whole text before it.
   * The provider calls `save` after a change, on close, 30 seconds (or `pollMs`, if that is longer) after a `save` that
   * has failed, and every 5 minutes while nothing changes, because the text says when Flipt last confirmed the
   * snapshot. `save` is called at most once every 5 seconds, and never before the last call has ended. A call that
   * takes longer than 10 seconds has failed, and a call that has not ended after two minutes counts as lost.
   */
  save(text: string, place: SnapshotPlace): Promise<void>;
  /**
   * Returns the shared snapshot of a store that many instances share. One of the instances polls Flipt, and all others
   * read what that instance has written to the store. The provider does not call `save` if the store has `shared`.
   * Default: none, so that each instance polls Flipt.
   */
  shared?(place: SnapshotPlace): SharedSnapshot;
}

/**
 * The service, namespace and environment that a snapshot belongs to. A store that holds several snapshots keeps them
 * apart by these three values.
 */
export interface SnapshotPlace {
  /** The base address of the service, without a slash at the end. */
  readonly url: string;
  /** The key of the namespace. */
  readonly namespace: string;
  /** The environment of Flipt v2. It is `undefined` if no environment is configured. */
  readonly environment: string | undefined;
}

/**
 * One snapshot that many instances share, with a lease for the instance that polls Flipt. The store must carry out each
 * call as one atomic step, so that no call of another instance comes in between. A call rejects if the store cannot be
 * reached.
 *
 * A call has failed if it takes longer than 1 second. There are two exceptions: a `publish` with a text has failed
 * after 5 seconds, and the first call of `turn` has failed after 250 ms. The provider cannot stop a call that takes too
 * long, and makes no other call to the store until that call has ended, or until two minutes have passed. After a
 * failed call, each instance polls Flipt by itself until the store works again.
 */
export interface SharedSnapshot {
  /**
   * Gives `holder` the lease for `leaseMs` milliseconds if the lease is free, or renews it if `holder` has it already.
   * If `leaseMs` is 0, the call neither gives nor renews the lease. In all cases, the call returns what the store
   * holds.
   */
  turn(holder: string, leaseMs: number): Promise<SharedTurn>;
  /**
   * Writes the record, and the snapshot if `text` is given, but only if the holder still has the lease with this fence.
   * If the holder no longer has that lease, the store writes nothing and returns `'lost'`. If `text` is not given and
   * the store does not hold the snapshot of this version, the store writes nothing and returns `'missing'`, and the
   * provider calls `publish` again with `text`.
   */
  publish(publication: SharedPublication): Promise<'published' | 'lost' | 'missing'>;
  /** Gives the lease back if `holder` has it, so that another instance need not wait until the lease expires. */
  release(holder: string): Promise<void>;
}

/** What the store returns to an instance: whether the instance has the lease, and which snapshot the store holds. */
export interface SharedTurn {
  /**
   * The number of the lease if `holder` has the lease. It is `undefined` if `holder` does not have the lease. The lease
   * gets a new number each time it is given to an instance, so that an instance that was suspended and has lost the
   * lease cannot write.
   */
  readonly fence?: number | undefined;
  /** The record of the snapshot that the store holds. It is `undefined` if the store holds no snapshot. */
  readonly record?: SharedRecord | undefined;
  /** The time of the store's clock in milliseconds. The store's clock can count from any point in time. */
  readonly time: number;
}

/** What the store says about its snapshot. The record is small, because each instance reads it every `pollMs`. */
export interface SharedRecord {
  /** The version of the snapshot. No two different snapshots have the same version. */
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
  /** The text that `load` returns from now on. It is `undefined` if the text is the same as before. */
  readonly text: string | undefined;
}
