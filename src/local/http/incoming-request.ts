import type { IncomingMessage } from 'node:http';
import { Query } from '../requests/query.js';
import { invalid, tooLarge } from '../requests/refused-request.js';

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

/** The whole body as text. Throws a 413 as soon as the body is known to be too large. */
export async function requestText(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw larger(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else reject(larger(maxBytes));
    });
    request.on('end', () => {
      resolve(Buffer.concat(chunks).toString());
    });
    request.on('error', () => {
      reject(invalid('the request ended before its body did'));
    });
  });
}

function larger(bytes: number): Error {
  return tooLarge(`the request's body is larger than ${bytes} bytes`);
}
