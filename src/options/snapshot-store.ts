/* What a store implements that keeps the snapshot, for one instance or for many. */

/**
 * Keeps one text across restarts, for example in a file, a database, or a cache that several processes share. It may be
 * slow, fail or hang without delaying or failing a resolve.
 */
export interface SnapshotStore {
  /**
   * Called when the provider starts. Resolves with the text that was saved last, or `undefined` if there is none.
   * The start waits 250 ms for it; it may take half of `initTimeoutMs`, and is then used if the service has served no
   * snapshot. With `watch: false` it may take all of `initTimeoutMs`. A store with `shared` is asked again after each
   * change.
   */
  load(place: SnapshotPlace): Promise<string | undefined>;
  /**
   * Replaces the text in one step: a later `load` must see all of this text or all of the one before. Called after a
   * change, every 5 minutes while nothing changes (the text says when the service last confirmed the snapshot), every
   * 30 seconds or `pollMs` after a failure, and on close. Called at most once every 5 seconds, and never before the last
   * call has ended, which counts as lost after two minutes. May take 10 seconds.
   */
  save(text: string, place: SnapshotPlace): Promise<void>;
  /**
   * For a store that many instances share: one of them polls Flipt, and all others read its result. `save` is then not
   * called. Default: none; each instance polls Flipt.
   */
  shared?(place: SnapshotPlace): SharedSnapshot;
}

/**
 * The service, namespace and environment of a snapshot. A store that holds several snapshots keeps them apart by these.
 */
export interface SnapshotPlace {
  /** Base address of the service, without a slash at its end. */
  readonly url: string;
  /** Key of the namespace. */
  readonly namespace: string;
  /** `undefined` if none is configured. */
  readonly environment: string | undefined;
}

/**
 * One snapshot that many instances share, with a lease for the instance that polls Flipt. Each call must be one step,
 * with no step of another instance in between. It rejects if the store cannot be asked.
 *
 * A call has failed if it takes longer than 1 second; `publish` with a text may take 5 seconds, and the first call of
 * `turn` 250 ms. It goes on then, and the store gets no other call until it has ended, or for two minutes. After a
 * failure, each instance polls Flipt by itself until the store works again.
 */
export interface SharedSnapshot {
  /**
   * Gives `holder` the lease for `leaseMs` if the lease is free, or renews it if `holder` has it already. With
   * `leaseMs` 0 it does neither. Returns what the store holds.
   */
  turn(holder: string, leaseMs: number): Promise<SharedTurn>;
  /**
   * Writes the record, and the snapshot if `text` is given, but only if the holder still has the lease with this fence.
   * Otherwise it writes nothing and returns `'lost'`. Without `text`, if the store does not hold this version, it
   * writes nothing and returns `'missing'`; it is then called again with `text`.
   */
  publish(publication: SharedPublication): Promise<'published' | 'lost' | 'missing'>;
  /** Gives the lease back if `holder` has it, so that another instance need not wait until it expires. */
  release(holder: string): Promise<void>;
}

/** What an instance reads from the store. */
export interface SharedTurn {
  /**
   * The lease's number, if the asker has the lease; else `undefined`. It differs each time the lease is given, so that
   * a holder that was asleep cannot write.
   */
  readonly fence?: number | undefined;
  /** What the store holds; `undefined` if it holds nothing. */
  readonly record?: SharedRecord | undefined;
  /** Milliseconds of the store's clock, from any starting point. */
  readonly time: number;
}

/** What the store says about its snapshot. It is small, because each instance reads it every `pollMs`. */
export interface SharedRecord {
  /** Differs for each snapshot. */
  readonly version: string;
  /** When the service last confirmed the snapshot, by the store's clock. */
  readonly confirmedAt: number;
}

/** The result of a poll by the holder of the lease. */
export interface SharedPublication extends SharedRecord {
  /** The instance that has the lease. */
  readonly holder: string;
  /** The lease's number when the holder asked the service. */
  readonly fence: number;
  /** The text that `load` returns from now on; `undefined`: the same as before. */
  readonly text: string | undefined;
}
