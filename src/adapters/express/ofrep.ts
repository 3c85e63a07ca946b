import type { Request as ExpressRequest, RequestHandler, Response as ExpressResponse } from 'express';
import { ofrepHandler, PATH } from '../ofrep/ofrep-handler.js';
import type { OfrepOptions } from '../ofrep/ofrep-options.js';
import { writtenJson } from '../../base/text/json.js';
import { EVENT_STREAM } from '../../base/text/server-sent-event.js';
import { asError, checkCalled } from './flags-middleware.js';

/**
 * Serves flags to browsers over the OpenFeature Remote Evaluation Protocol (OFREP). The middleware answers `POST
 * /ofrep/v1/evaluate/flags` and `POST /ofrep/v1/evaluate/flags/{key}` with the app's own provider, for the user that
 * `context` names, and passes requests for all other paths to the next handler.
 *
 * The path can have a prefix: `app.use('/api', ofrep(…))`. Do not mount the middleware under a part of its own path, as
 * in `app.use('/ofrep', ofrep(…))`: Express removes this part, so that the middleware passes all requests on. The
 * middleware works before and after `express.json()`. If you put the middleware after `express.json()`, a body that `express.json()` refuses, such
 * as a malformed one, gets Express's own error page. A request with a body of more than 64 kB gets a 413. Throws a
 * TypeError if an option is wrong.
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
 *     context: (req: Request & { user?: { id: string } }) => ({ targetingKey: req.user?.id ?? 'anonymous' }),
 *     flags: ['new-checkout', 'button-color'],
 *   }),
 * );
 * ```
 */
export function ofrep(options: OfrepOptions<ExpressRequest>): RequestHandler {
  checkCalled('ofrep', options);
  const handle = ofrepHandler(options);
  return (req, res, next) => {
    if (PATH.exec(req.path)?.index !== 0) {
      next();
      return;
    }
    handle(requestOf(req), req)
      .then((response) => send(response, res))
      .catch((reason: unknown) => {
        next(asError('ofrep', reason));
      });
  };
}

const PASSED_ON = [
  'content-length',
  'host',
  'if-none-match',
  'last-event-id',
  'origin',
  'referer',
  'sec-fetch-site',
];

/** Makes a standard request with only those parts of Express's request that OFREP uses. */
function requestOf(req: ExpressRequest): Request {
  const { method } = req;
  const headers = new Headers();
  for (const name of PASSED_ON) {
    const value = req.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  const url = `http://ofrep${req.baseUrl}${req.path}`;
  return method === 'POST'
    ? new Request(url, { method, headers, body: bodyOf(req), duplex: 'half' })
    : // The handler refuses all other methods alike, and `Request` does not accept some of them, so HEAD stands for all
      // other methods.
      new Request(url, { method: method === 'GET' ? method : 'HEAD', headers });
}

/**
 * Returns the body of the request: what another middleware has parsed, or else the stream of the body. Reading the body
 * must not destroy the stream, because the response needs the same connection.
 */
function bodyOf(req: ExpressRequest): string | Uint8Array | AsyncIterable<Uint8Array> | null {
  if (!req.readableDidRead) return req.iterator({ destroyOnReturn: false });
  const parsed: unknown = req.body;
  if (parsed === undefined) return null;
  if (typeof parsed === 'string' || parsed instanceof Uint8Array) return parsed;
  // The handler refuses the empty text, because it is not JSON.
  return writtenJson(parsed) ?? '';
}

async function send(response: Response, res: ExpressResponse): Promise<void> {
  if (res.headersSent) {
    await response.body?.cancel();
    return;
  }
  const isStream = response.headers.get('content-type') === EVENT_STREAM;
  const body = isStream ? '' : await response.text();
  res.status(response.status);
  response.headers.forEach((value, name) => {
    res.setHeader(name, value);
  });
  if (isStream && response.body !== null) await pipe(response.body.getReader(), res);
  else res.end(body);
}

/**
 * Sends an event stream to the browser until the stream or the connection ends. Events that the connection cannot take
 * yet wait in the stream, which holds a limited number of events.
 */
async function pipe(reader: ReadableStreamDefaultReader<Uint8Array>, res: ExpressResponse): Promise<void> {
  let goOn: () => void = () => undefined;
  res.on('drain', () => {
    goOn();
  });
  res.on('close', () => {
    reader.cancel().catch(() => undefined);
    goOn();
  });
  if (res.destroyed) await reader.cancel();
  // A connection whose browser no longer reads might never drain. When the stream has ended, a connection that has not
  // drained is destroyed, because the connection could otherwise stay open for ever.
  reader.closed.then(
    () => {
      if (res.writableNeedDrain) res.destroy();
    },
    () => {
      res.destroy();
    },
  );
  res.flushHeaders();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // Another middleware might have ended the response. Writing to an ended response would cause an error that nobody
      // handles.
      if (res.writableEnded) await reader.cancel();
      if (done || res.writableEnded) break;
      if (res.write(value) || res.destroyed) continue;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
    res.end();
  } catch {
    // If the stream has failed, the callback of `reader.closed` above destroys the connection.
  }
}
