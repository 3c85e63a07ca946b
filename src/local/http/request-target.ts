import type { IncomingMessage } from 'node:http';
import { Query } from '../requests/query.js';

/**
 * What a request asks for, and the host by which the client addresses the service, with or without a port; `undefined`
 * if the request names none. A target may be in absolute form, as to a proxy. Its host then wins over the header's:
 * HTTP's rule.
 */
export function targetOf({ url = '', headers }: IncomingMessage) {
  const [scheme] = /^https?:\/\//i.exec(url) ?? [];
  const behind = url.slice(scheme?.length);
  const end = scheme === undefined ? 0 : `${behind}/`.search(/[/?#]/);
  const [pathname = '', ...query] = behind.slice(end).split('?');
  const host = scheme === undefined ? headers.host : behind.slice(0, end);
  return { pathname, query: new Query(query.join('?')), host };
}
