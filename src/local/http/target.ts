import type { IncomingMessage } from 'node:http';
import { Query } from '../requests/query.js';

/** What a request asks for. */
export interface Target {
  readonly pathname: string;
  readonly query: Query;
  /**
   * The host by which the client addresses the service, with or without a port; `undefined` if the request names none.
   */
  readonly host: string | undefined;
}

/** A target may be in absolute form, as to a proxy. Its host then wins over the header's: HTTP's rule. */
export function targetOf({ url = '', headers }: IncomingMessage): Target {
  const [scheme] = /^https?:\/\//i.exec(url) ?? [];
  const behind = url.slice(scheme?.length);
  const end = scheme === undefined ? 0 : `${behind}/`.search(/[/?#]/);
  const [pathname = '', ...query] = behind.slice(end).split('?');
  const host = scheme === undefined ? headers.host : behind.slice(0, end);
  return { pathname, query: new Query(query.join('?')), host };
}
