import { quoted } from '../../base/text/describe.js';
import { invalid, invalidField } from './refused-request.js';

/**
 * The query of a URL. The query is parsed only when an operation asks for a parameter, so a malformed query makes only
 * those operations fail that have parameters (Flipt's rule).
 */
export class Query {
  constructor(private readonly text: string) {}

  /**
   * Returns the value of a parameter that can be given only once, or `undefined` if the parameter is missing. Throws a
   * 400 if any part of the query is malformed.
   */
  single(name: string): string | undefined {
    if (this.text.includes(';')) throw invalid('invalid semicolon separator in query');
    const [escape] = /%(?![0-9a-f]{2})[^&]{0,2}/i.exec(this.text) ?? [];
    if (escape !== undefined) throw invalid(`invalid URL escape ${quoted(escape)}`);
    const values = new URLSearchParams(this.text).getAll(name);
    if (values.length > 1) throw invalid(`too many values for field "${name}": ${values.join(', ')}`);
    return values[0];
  }
}

export const LARGEST_INT32 = 2 ** 31 - 1;

/**
 * Returns the part of a list that the query asks for with `limit` (all entries if it is 0 or missing), `offset` and
 * `pageToken`. `nextPageToken` is `''` on the last page, and `totalCount` is the length of the whole list. Throws a 400
 * if a parameter is wrong.
 */
export function paginated<Item>(list: readonly Item[], query: Query) {
  const limit = natural(query, 'limit');
  const offset = natural(query, 'offset');
  const pageToken = query.single('pageToken') || query.single('page_token') || '';
  // The service has no revisions and ignores the value of `reference`. The parameter is read only because a malformed
  // one must lead to a 400.
  query.single('reference');
  if (limit === 0 && (offset > 0 || pageToken !== '')) {
    throw invalid('limit must be set when offset or pageToken is set');
  }
  const start = pageToken === '' ? offset : readToken(pageToken);
  const end = limit === 0 ? list.length : start + limit;
  return {
    items: list.slice(start, end),
    nextPageToken: end < list.length ? writeToken(end) : '',
    totalCount: list.length,
  };
}

function natural(query: Query, name: string): number {
  const text = query.single(name) ?? '0';
  const number = Number(text);
  if (!/^[+-]?[0-9]+$/.test(text) || number > LARGEST_INT32) throw invalidField(name, 'must be an integer');
  if (number < 0) throw invalidField(name, 'must not be negative');
  return number;
}

function writeToken(start: number): string {
  return Buffer.from(`from ${start}`).toString('base64url');
}

function readToken(token: string): number {
  const start = Number(/^from ([0-9]{1,15})$/.exec(Buffer.from(token, 'base64url').toString())?.[1]);
  if (writeToken(start) !== token) throw invalid(`pageToken is not valid: ${JSON.stringify(token)}`);
  return start;
}
