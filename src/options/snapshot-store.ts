/* For an app that keeps the snapshot in a store of its own, for one instance or for many. */

/** Keeps one text, the snapshot, across restarts. A store that is slow, fails or hangs harms no resolve. */
export interface SnapshotStore {
  /**
   * Gives the text that was saved last. Called at the start, which waits at most 250 ms for it; a text that comes later,
   * within half of `initTimeoutMs`, is used if Flipt has served no snapshot by then. With `watch: false`, all of
   * `initTimeoutMs` may pass.
   */
  load(place: SnapshotPlace): Promise<string | undefined>;
  /**
   * Replaces the text in one step, so that a `load` beside it gives the old or the new text. Called after a change, at
   * most every 5 seconds, and when the provider closes. A call has 10 seconds; none begins while another one runs.
   */
  save(text: string, place: SnapshotPlace): Promise<void>;
  /** For a store that many instances share: one of them polls Flipt, and `save` is not called. */
  shared?(place: SnapshotPlace): SharedSnapshot;
}

/** What a snapshot belongs to. A store with several snapshots distinguishes them by all three members. */
export interface SnapshotPlace {
  /** Flipt's address, without a slash at the end. */
  readonly url: string;
  readonly namespace: string;
  /** Of Flipt v2, if one is configured. */
  readonly environment: string | undefined;
}

/**
 * What the instances of a fleet tell each other. A call that cannot reach the store must reject, and one that takes longer
 * than a second has failed: the instance then polls Flipt by itself.
 */
export interface SharedSnapshot {
  /** May this instance poll Flipt for the next `forMs` milliseconds? For all others, the store says no until then. */
  claim(forMs: number): Promise<boolean>;
  /**
   * Says that the snapshot with this digest is right. `look` gives the digest for `forMs` milliseconds. With `text`, the
   * store first replaces the text that `load` gives.
   */
  announce(digest: string, forMs: number, text?: string): Promise<void>;
  /** The digest that was announced last, or `undefined` once its time is over. */
  look(): Promise<string | undefined>;
}
