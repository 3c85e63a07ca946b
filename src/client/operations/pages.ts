import * as v from 'valibot';
import type { CallOptions } from './operation.js';

/** Which part of a list to read. `offset` and `pageToken` need a `limit`, else `INVALID_ARGUMENT`: Flipt's rule. */
export interface PageOptions extends CallOptions {
  /** The most entries to read, and never more than 100. Default 25: both are Flipt's rule. */
  readonly limit?: number | undefined;
  /** How many entries to pass over. Default: none. */
  readonly offset?: number | undefined;
  /** `nextPageToken` of the page before; `offset` is not looked at then. Default: from the beginning. */
  readonly pageToken?: string | undefined;
}

/** How to go through a list. */
export interface IterateOptions extends CallOptions {
  /** Entries read with one request: 1 to 100. Default 100. */
  readonly limit?: number | undefined;
}

/** What every page of a list tells. */
export interface ListPage {
  /** For {@link PageOptions.pageToken}; `''` on the last page. */
  readonly nextPageToken: string;
  /** How many entries the whole list has. */
  readonly totalCount: number;
}

const LARGEST_PAGE = 100;

/**
 * Goes through all pages, reading each when it is come to. A service that gives the same token twice would be gone
 * through for ever: its page is refused, as one of a wrong shape is.
 */
export async function* everyEntry<Page extends ListPage, Entry>(
  shape: v.GenericSchema<unknown, Page>,
  read: (options: PageOptions, shape: v.GenericSchema<unknown, Page>) => Promise<Page>,
  entriesOf: (page: Page) => readonly Entry[],
  { limit = LARGEST_PAGE, signal }: IterateOptions,
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
