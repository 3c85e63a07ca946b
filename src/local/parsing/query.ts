import { quoted } from '../../base/text/describe.js';
import { invalid, invalidField } from './refused-request.js';

/**
 * The query of a URL. The service parses the query only when an operation reads a parameter, so that a malformed query
 * has no effect on an operation without parameters, as in Flipt.
 */
export class Query {
  constructor(private readonly text: string) {}

  /**
   * Returns the value of a parameter that can occur only once in the query, or `undefined` if the parameter is missing.
   * If any part of the query is malformed, or if the parameter occurs more than once, the method throws an error that
   * the client gets as a 400.
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
 * Returns the page of a list that the client chooses with the parameters `limit`, `offset` and `pageToken`. If `limit`
 * is 0 or missing, the page contains the whole list. In the result, `nextPageToken` is `''` on the last page, and
 * `totalCount` is the length of the whole list. If a parameter is wrong, the function throws an error that the client
 * gets as a 400.
 */
export function paginated<Item>(list: readonly Item[], query: Query) {
  const limit = natural(query, 'limit');
  const offset = natural(query, 'offset');
  const pageToken = query.single('pageToken') || query.single('page_token') || '';
  // The service ignores the value of the parameter `reference`, because the service has no revisions. The code still
  // reads the parameter `reference`, so that the request fails with a 400 if the query is malformed or has two
  // references.
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
