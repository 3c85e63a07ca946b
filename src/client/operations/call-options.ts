/** The options that every operation of the client takes as its last argument. */
export interface CallOptions {
  /**
   * If you abort this signal, the operation ends, and rejects with the signal's reason, as `fetch` does. Default: none.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Says which part of a list the operation reads. If `offset` or `pageToken` is set without a `limit`, Flipt refuses the
 * request, and the operation rejects with `INVALID_ARGUMENT`.
 */
export interface PageOptions extends CallOptions {
  /** How many entries to read at most. Default: all entries of the list, which Flipt also returns for 0. */
  readonly limit?: number | undefined;
  /** How many entries of the list to skip. Default: none. */
  readonly offset?: number | undefined;
  /**
   * The `nextPageToken` of the page before the one to read. With a `pageToken`, Flipt ignores `offset`. Default: none,
   * so that the operation reads the list from its beginning.
   */
  readonly pageToken?: string | undefined;
}

/** The options of an iteration over a list. */
export interface IterateOptions extends CallOptions {
  /** How many entries of the list each request reads. Default 100. With 0, a single request reads all entries. */
  readonly limit?: number | undefined;
}

/** The members that every page of a list has. */
export interface ListPage {
  /** The {@link PageOptions.pageToken} with which you read the next page. On the last page, `nextPageToken` is `''`. */
  readonly nextPageToken: string;
  /** How many entries the whole list has. */
  readonly totalCount: number;
}
