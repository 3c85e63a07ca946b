/** The last argument of every operation. */
export interface CallOptions {
  /** Ends the operation: it rejects with the signal's reason, as `fetch` does. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Which part of a list to read. Without a `limit`, `offset` and `pageToken` are `INVALID_ARGUMENT` (Flipt's rule). */
export interface PageOptions extends CallOptions {
  /** Most entries to read. Default: all of them, as with 0 (Flipt's rule). */
  readonly limit?: number | undefined;
  /** How many entries to skip. Default: none. */
  readonly offset?: number | undefined;
  /** `nextPageToken` of the page before; `offset` is then ignored. Default: from the beginning. */
  readonly pageToken?: string | undefined;
}

/** How to iterate over a list. */
export interface IterateOptions extends CallOptions {
  /** Entries per request. Default 100; 0 reads all in one. */
  readonly limit?: number | undefined;
}

/** What every page of a list has. */
export interface ListPage {
  /** For {@link PageOptions.pageToken}; `''` on the last page. */
  readonly nextPageToken: string;
  /** How many entries the whole list has. */
  readonly totalCount: number;
}
