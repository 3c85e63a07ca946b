/**
 * Keeps one text across restarts: a file, a database, a cache that several processes share. It may be slow, fail or
 * hang: that delays no resolve and fails none.
 */
export interface SnapshotStore {
  /**
   * Called once, when the provider starts. Resolves with the text that was saved last, or `undefined` if there is none.
   * It is given `initTimeoutMs` at most.
   */
  load(): Promise<string | undefined>;
  /**
   * Replaces the text, in one step: a later `load` must see all of it or all of the one before. Called at most once
   * every 5 seconds, never again before the last call has ended, and given 10 seconds at most.
   */
  save(text: string): Promise<void>;
}
