import * as v from 'valibot';
import type { Call, CallOptions, ClientOperation } from './operations/client-operation.js';
import { queryOf } from './request-path.js';

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

type PageOperation<Page> = Pick<ClientOperation<Page>, 'name' | 'path' | 'answer'>;

/** A list of the service. */
interface ListOperation<Page extends ListPage, Entry> extends PageOperation<Page> {
  readonly entriesOf: (page: Page) => readonly Entry[];
}

export function readPage<Page extends ListPage>(
  call: Call,
  { name, path, answer }: PageOperation<Page>,
  { signal, limit, offset, pageToken }: PageOptions = {},
): Promise<Page> {
  return call(
    { name, method: 'GET', path: path + queryOf({ limit, offset, pageToken }), answer },
    { signal },
  );
}

const ENTRIES_PER_REQUEST = 100;

/**
 * Iterates over all pages and requests each when it is needed. A token that comes twice would make it endless: such a page
 * is refused like one of the wrong shape.
 */
export async function* everyEntry<Page extends ListPage, Entry>(
  call: Call,
  list: ListOperation<Page, Entry>,
  { limit = ENTRIES_PER_REQUEST, signal }: IterateOptions = {},
): AsyncGenerator<Entry, void, undefined> {
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
    const page = await readPage(call, { ...list, answer }, { limit, pageToken, signal });
    yield* list.entriesOf(page);
    pageToken = page.nextPageToken;
    given.add(pageToken);
  } while (pageToken !== '');
}
