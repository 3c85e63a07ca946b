import * as v from 'valibot';
import type { Call, ClientOperation, ClientRequest } from './client-operation.js';
import type { IterateOptions, ListPage, PageOptions } from './operations/call-options.js';

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
