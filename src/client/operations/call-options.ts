/** The last argument of every operation. */
export interface CallOptions {
  /** A signal that ends the operation, which then rejects with the signal's reason, as `fetch` does. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Which part of a list to read. If `offset` or `pageToken` is set without a `limit`, the operation rejects with
 * `INVALID_ARGUMENT` (Flipt's rule).
 */
export interface PageOptions extends CallOptions {
  /** How many entries to read at most. Default: all of them, as with 0 (Flipt's rule). */
  readonly limit?: number | undefined;
  /** How many entries to skip. Default: none. */
  readonly offset?: number | undefined;
  /**
   * The `nextPageToken` of the page before. With a `pageToken`, Flipt ignores `offset`. Default: the list is read from
   * its beginning.
   */
  readonly pageToken?: string | undefined;
}

/** How to iterate over a list. */
export interface IterateOptions extends CallOptions {
  /** How many entries each request reads. Default 100; with 0, one request reads all entries. */
  readonly limit?: number | undefined;
}

/** What every page of a list has. */
export interface ListPage {
  /** The token for {@link PageOptions.pageToken} of the next page. It is `''` on the last page. */
  readonly nextPageToken: string;
  /** How many entries the whole list has. */
  readonly totalCount: number;
}
