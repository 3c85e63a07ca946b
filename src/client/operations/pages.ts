import * as v from 'valibot';
import type { CallOptions } from './client-operation.js';

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

/**
 * Iterates over all pages and requests each when it is needed. A token that comes twice would make it endless: such a page
 * is refused like one of the wrong shape.
 */
export async function* everyEntry<Page extends ListPage, Entry>(
  shape: v.GenericSchema<unknown, Page>,
  read: (options: PageOptions, shape: v.GenericSchema<unknown, Page>) => Promise<Page>,
  entriesOf: (page: Page) => readonly Entry[],
  { limit = ENTRIES_PER_REQUEST, signal }: IterateOptions,
): AsyncGenerator<Entry, void, undefined> {
  const given = new Set<string>();
  const onward = v.pipe(
    shape,
    v.check(
      ({ nextPageToken }) => !given.has(nextPageToken),
      'a page whose nextPageToken has not come before',
    ),
  );
  let page = await read({ limit, signal }, onward);
  yield* entriesOf(page);
  while (page.nextPageToken !== '') {
    given.add(page.nextPageToken);
    page = await read({ limit, pageToken: page.nextPageToken, signal }, onward);
    yield* entriesOf(page);
  }
}
