import * as v from 'valibot';
import type { Call, CallOptions, ClientOperation, ClientRequest } from './operations/client-operation.js';

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

const ENTRIES_PER_REQUEST = 100;

type Parts = NonNullable<ClientRequest['parts']>;

/** The two ways to read a list. */
export function pagesOf<Page extends ListPage, Entry>(
  call: Call,
  list: ClientOperation<Page>,
  entriesOf: (page: Page) => readonly Entry[],
) {
  const read = async (
    parts: Parts,
    { signal, limit, offset, pageToken }: PageOptions = {},
    answer = list.answer,
  ) => call({ ...list, answer }, { parts, query: { limit, offset, pageToken } }, { signal });
  return {
    list: (parts: Parts, page?: PageOptions) => read(parts, page),
    /**
     * Iterates over all pages and requests each when it is needed. A token that comes twice would make it endless: such a
     * page is refused like one of the wrong shape.
     */
    async *iterate(parts: Parts, options: IterateOptions = {}): AsyncGenerator<Entry, void, undefined> {
      const { limit = ENTRIES_PER_REQUEST, signal } = options;
      const given = new Set<string>();
      const answer = v.pipe(
        list.answer,
        v.check(
          ({ nextPageToken }) => !given.has(nextPageToken),
          'a page whose nextPageToken has not come before',
        ),
      );
      let pageToken: string | undefined;
      do {
        const page = await read(parts, { limit, pageToken, signal }, answer);
        yield* entriesOf(page);
        pageToken = page.nextPageToken;
        given.add(pageToken);
      } while (pageToken !== '');
    },
  };
}
