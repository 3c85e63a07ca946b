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
  load(): Promise<string | undefined>;
  /**
   * Replaces the text, in one step: a later `load` must see all of it or all of the one before. Called after a change,
   * every 5 minutes while nothing changes, and on close: the text says when the service confirmed the snapshot last.
   * At most once every 5 seconds, never again before the last call has ended, and given 10 seconds at most.
   */
  save(text: string): Promise<void>;
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
