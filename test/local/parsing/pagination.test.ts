import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paginated, Query } from '../../../src/local/parsing/query.js';

const list = Array.from({ length: 250 }, (_, index) => index);
const page = (query: string): ReturnType<typeof paginated<number>> => paginated(list, new Query(query));

describe('a page', () => {
  it.each([
    ['', 250],
    ['limit=0', 250],
    ['limit=7', 7],
    ['limit=%2B7', 7],
    ['limit=100', 100],
    ['limit=120', 120],
    ['limit=1000', 250],
  ])('of %j has %i items', (query, length) => {
    expect(page(query)).toMatchObject({ items: list.slice(0, length), totalCount: 250 });
  });

  it('begins at the offset, and a page token wins over it', () => {
    const { nextPageToken } = page('limit=10');
    expect(page('limit=2&offset=5').items).toEqual([5, 6]);
    expect(page(`limit=2&offset=5&pageToken=${nextPageToken}`).items).toEqual([10, 11]);
    expect(page(`limit=2&page_token=${nextPageToken}`).items).toEqual([10, 11]);
    expect(page('limit=2&offset=300')).toEqual({ items: [], nextPageToken: '', totalCount: 250 });
  });

  it.each([
    ['offset=2', 'limit must be set when offset or pageToken is set'],
    ['limit=0&offset=2', 'limit must be set when offset or pageToken is set'],
    ['pageToken=x', 'limit must be set when offset or pageToken is set'],
    ['limit=2&pageToken=garbage', 'pageToken is not valid: "garbage"'],
    ['limit=2&pageToken=ZnJvbSAy-', 'pageToken is not valid: "ZnJvbSAy-"'],
    ['limit=abc', 'invalid field limit: must be an integer'],
    ['limit=', 'invalid field limit: must be an integer'],
    ['limit=1.5', 'invalid field limit: must be an integer'],
    ['limit=2147483648', 'invalid field limit: must be an integer'],
    ['limit=-1', 'invalid field limit: must not be negative'],
    ['limit=1&offset=-1', 'invalid field offset: must not be negative'],
    ['limit=1&limit=2', 'too many values for field "limit": 1, 2'],
    ['limit=1&a;b', 'invalid semicolon separator in query'],
    ['limit=1&other=%zz', 'invalid URL escape "%zz"'],
    ['other=1%&limit=1', 'invalid URL escape "%"'],
  ])('is refused for %s', (query, message) => {
    expect(() => page(query)).toThrow(expect.objectContaining({ kind: 'invalid', message }));
  });

  it('leads to the next one, so that every item comes once, whatever the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (limit) => {
        const seen: number[] = [];
        let token = '';
        do {
          const { items, nextPageToken } = page(`limit=${limit}&pageToken=${token}`);
          seen.push(...items);
          token = nextPageToken;
        } while (token !== '');
        expect(seen).toEqual(list);
      }),
    );
  });
});
