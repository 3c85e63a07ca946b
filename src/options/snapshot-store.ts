/* An app that keeps the snapshot in a store of its own, for one instance or for many, implements these interfaces. */

/**
 * Keeps one text, the snapshot, across restarts, for example in a file, in a database, or in a cache that several
 * processes share. If a store is slow, fails or hangs, no resolve fails, and only the first resolves after a start can
 * be delayed.
 */
export interface SnapshotStore {
  /**
   * Returns the text that was saved last, or `undefined` if no text was saved. The provider calls `load` at its start,
   * and waits at most 250 ms for the text. If `load` ends later, but within half of `initTimeoutMs`, the provider still
   * uses the text if Flipt has served no snapshot by then. With `watch: false`, `load` can take all of `initTimeoutMs`.
   * If the store has `shared`, the provider calls `load` again each time that another instance has changed the shared
   * snapshot.
   */
  load(place: SnapshotPlace): Promise<string | undefined>;
  /**
   * Replaces the saved text in one step: if `load` is called at the same time, it must return either the whole new text
   * or the whole old text. The provider calls `save` after each change of the snapshot, and when it closes, if the
   * saved text is out of date. The provider also calls `save` every 5 minutes while nothing changes, because the text says when
   * Flipt last confirmed the snapshot. After a `save` that has failed, the provider calls `save` again after 30
   * seconds, or after `pollMs` if that is longer. The provider calls `save` at most once every 5 seconds, except when
   * it closes. A call of `save` that takes longer than 10 seconds has failed, but the provider waits up to two minutes
   * for the end of a call before it calls `save` again.
   */
  save(text: string, place: SnapshotPlace): Promise<void>;
  /**
   * Returns the snapshot in a store that many instances share. Usually, only one of the instances polls Flipt, and all
   * other instances read the snapshot that this instance writes to the store. The provider does not call `save` if the
   * store has `shared`. With `watch: false`, the provider does not call `shared`, and
   * only reads the store by `load`. Default: none, so that each instance polls Flipt.
   */
  shared?(place: SnapshotPlace): SharedSnapshot;
}

/**
 * The Flipt, the namespace and the environment that a snapshot belongs to. A store with several snapshots must
 * distinguish the snapshots by the three members of `SnapshotPlace`.
 */
export interface SnapshotPlace {
  /** The base address of Flipt, without a slash at the end. */
  readonly url: string;
  /** The key of the namespace. */
  readonly namespace: string;
  /** The environment of Flipt v2, or `undefined` if no environment is configured. */
  readonly environment: string | undefined;
}

/**
 * One snapshot that many instances share, with a lease for the instance that polls Flipt. The store must carry out each
 * call as one atomic step, so that a call of another instance cannot interfere. If the store cannot be reached, each
 * call to the store must reject.
 *
 * A call of `turn`, `publish` or `release` has failed if it takes longer than 1 second, with two exceptions: a
 * `publish` with a text has failed after 5 seconds, and the first call of `turn` has failed after 250 ms. The provider
 * cannot stop a call to the store that takes too long. Until a call that takes too long has ended, or until two minutes
 * have passed, the provider makes no other call of `turn`, `publish` or `release`. An instance whose call of `turn` or
 * `load` has failed polls Flipt by itself until the store works again.
 */
export interface SharedSnapshot {
  /**
   * Gives the lease to the instance `holder` for `leaseMs` milliseconds if the lease is free, or renews the lease if
   * `holder` has the lease already. If `leaseMs` is 0, the call neither gives nor renews the lease. Whether or not
   * `holder` gets the lease, the result contains the record of the store's snapshot, if there is one.
   */
  turn(holder: string, leaseMs: number): Promise<SharedTurn>;
  /**
   * Writes the record to the store, and also the snapshot if `text` is given. If the holder no longer has the lease
   * with the number `fence`, the store must write nothing and return `'lost'`. If `text` is not given and the store
   * does not contain a snapshot of this version, the store must write nothing and return `'missing'`. After
   * `'missing'`, the provider calls `publish` again, with `text`.
   */
  publish(publication: SharedPublication): Promise<'published' | 'lost' | 'missing'>;
  /**
   * Ends the lease if the instance `holder` has the lease, so that another instance need not wait until the lease
   * expires.
   */
  release(holder: string): Promise<void>;
}

/** Tells an instance whether it has the lease, and which snapshot the store contains. */
export interface SharedTurn {
  /**
   * The number of the lease, or `undefined` if `holder` does not have the lease. The store gives the lease a new number
   * each time an instance gets the lease. By the new number, the store recognises an instance that was suspended and
   * has lost the lease meanwhile, and lets that instance write nothing.
   */
  readonly fence?: number | undefined;
  /** The record of the snapshot in the store, or `undefined` if the store contains no snapshot. */
  readonly record?: SharedRecord | undefined;
  /** The present time of the store's clock, in milliseconds. The store's clock can count from any point in time. */
  readonly time: number;
}

/**
 * Describes the snapshot in the store. The record is small, because each instance reads the record about every
 * `pollMs`.
 */
export interface SharedRecord {
  /** The version of the snapshot. Two different snapshots never have the same version. */
  readonly version: string;
  /** The time when Flipt last confirmed the snapshot, in milliseconds of the store's clock. */
  readonly confirmedAt: number;
}

/** The result of a poll of Flipt by the instance that has the lease. */
export interface SharedPublication extends SharedRecord {
  /** The id of the instance that has the lease. */
  readonly holder: string;
  /** The number that the lease had when the holder polled Flipt. */
  readonly fence: number;
  /** The text that `load` must return from now on, or `undefined` if the text has not changed. */
  readonly text: string | undefined;
}
