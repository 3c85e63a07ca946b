import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request as ExpressRequest, RequestHandler, Response as ExpressResponse } from 'express';
import { writtenJson } from '../../base/text/json.js';
import { ofrepHandler, PATH } from '../ofrep/handler.js';
import type { OfrepOptions } from '../ofrep/options.js';

/**
 * Serves flags to browsers over the OpenFeature Remote Evaluation Protocol (OFREP): `POST /ofrep/v1/evaluate/flags` and
 * `POST /ofrep/v1/evaluate/flags/{key}`, for the user that `context` names. Requests for other paths go on to the next
 * handler.
 *
 * The path can have a prefix: `app.use('/api', ofrep(…))`. Mounted under a part of its own path, as in
 * `app.use('/ofrep', ofrep(…))`, it gets none of its requests. It works before and after `express.json()`.
 *
 * @example
 * ```ts
 * import express, { type Request } from 'express';
 * import { ofrep } from 'openfeature-flipt-provider/express';
 *
 * const app = express();
 * app.use(
 *   ofrep({
 *     // Your login has set `user`, such as Passport's. Whatever a browser itself sends is no proof of who it is.
 *     context: ({ user }: Request & { user?: { id: string } }) => (user ? { targetingKey: user.id } : {}),
 *     flags: ['new-checkout', 'button-color'],
 *   }),
 * );
 * ```
 */
export function ofrep(options: OfrepOptions<ExpressRequest>): RequestHandler {
  const handle = ofrepHandler(options);
  return (req, res, next) => {
    if (PATH.exec(req.path)?.index !== 0) {
      next();
      return;
    }
    handle(requestOf(req), req)
      .then((response) => send(response, res))
      .catch(next);
  };
}

const PASSED_ON = ['host', 'if-none-match', 'origin', 'referer', 'sec-fetch-site'];

function requestOf(req: ExpressRequest): Request {
  const { method } = req;
  const headers = new Headers();
  for (const name of PASSED_ON) {
    const value = req.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  const url = `http://ofrep${req.baseUrl}${req.path}`;
  if (method === 'POST') return new Request(url, { method, headers, body: bodyOf(req), duplex: 'half' });
  // `Request` knows not all methods, and all others are refused alike.
  return new Request(url, { method: method === 'GET' ? method : 'HEAD', headers });
}

/** What another middleware has parsed, or else the stream, which must survive: the response has the same connection. */
function bodyOf(req: ExpressRequest): string | Uint8Array | AsyncIterable<Uint8Array> {
  if (!req.readableDidRead) return req.iterator({ destroyOnReturn: false });
  const parsed: unknown = req.body;
  return typeof parsed === 'string' || parsed instanceof Uint8Array ? parsed : (writtenJson(parsed) ?? '');
}

async function send(response: Response, res: ExpressResponse): Promise<void> {
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const stream = isStream ? response.body : null;
  const whole = isStream ? undefined : Buffer.from(await response.arrayBuffer());
  if (res.headersSent) {
    await stream?.cancel();
    return;
  }
  res.status(response.status);
  response.headers.forEach((value, name) => {
    // HTTP/2 has no such header.
    if (name !== 'connection' || res.req.httpVersionMajor === 1) res.setHeader(name, value);
  });
  if (stream === null) {
    // Node adds the Content-Length.
    res.end(whole);
    return;
  }
  res.flushHeaders();
  // A browser that has left, or does not read, is no error of the app.
  await pipeline(Readable.fromWeb(stream, { highWaterMark: 1 }), res).catch(() => undefined);
}
