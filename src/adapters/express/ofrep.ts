import type { Request as ExpressRequest, RequestHandler, Response as ExpressResponse } from 'express';
import { ofrepHandler, PATH } from '../ofrep/ofrep-handler.js';
import type { OfrepOptions } from '../ofrep/ofrep-options.js';
import { quoted } from '../../base/text/describe.js';
import { writtenJson } from '../../base/text/json.js';
import { EVENT_STREAM } from '../../base/text/server-sent-event.js';
import { asError, checkCalled } from './flags.js';

/**
 * Flags for a browser, over the OpenFeature Remote Evaluation Protocol: answers `POST /ofrep/v1/evaluate/flags` and
 * `POST /ofrep/v1/evaluate/flags/{key}` from the app's own provider, for the user that `context` names. Requests for
 * all other paths go on to the next handler. The path may have a prefix: `app.use('/api', ofrep(…))`. Mounted
 * under a part of its own path (`app.use('/ofrep', ofrep(…))`), it gets no request, and says so once on the console. It works before
 * and after `express.json()`; after it, a malformed or too large body gets Express's own error page. Bodies have at most
 * 64 kB. Throws a TypeError if an option is wrong.
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { ofrep } from 'openfeature-flipt-provider/express';
 *
 * const app = express();
 * app.use(
 *   ofrep({
 *     context: (req) => ({ targetingKey: req.get('x-user') ?? 'anonymous' }),
 *     flags: ['new-checkout', 'button-color'],
 *   }),
 * );
 * ```
 */
export function ofrep(options: OfrepOptions<ExpressRequest>): RequestHandler {
  checkCalled('ofrep', options);
  const handle = ofrepHandler(options);
  let hasWarned = false;
  return (req, res, next) => {
    if (PATH.exec(req.path)?.index !== 0) {
      if (!hasWarned && PATH.test(req.baseUrl + req.path)) {
        hasWarned = true;
        console.warn(mountWarning(req.baseUrl));
      }
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

/** Express has taken a part of the handler's own path away: `app.use('/ofrep', ofrep(…))`. */
function mountWarning(mount: string): string {
  const prefix = mount.slice(0, mount.lastIndexOf('/ofrep'));
  const right = prefix === '' ? 'app.use(ofrep(…))' : `app.use(${quoted(prefix)}, ofrep(…))`;
  return (
    `[openfeature-flipt-provider] ofrep is mounted at ${quoted(mount)} and gets none of its requests, ` +
    `because its own path begins with /ofrep/v1: write ${right}`
  );
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

/** Passes on only the parts of the request that the protocol uses. */
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
    : // All methods but these two are refused alike, and `Request` takes only some of them.
      new Request(url, { method: method === 'GET' ? method : 'HEAD', headers });
}

/**
 * If a middleware has read the body, it is parsed already. Otherwise it is the stream, which must stay open for the
 * response.
 */
function bodyOf(req: ExpressRequest): string | Uint8Array | AsyncIterable<Uint8Array> | null {
  if (!req.readableDidRead) return req.iterator({ destroyOnReturn: false });
  const parsed: unknown = req.body;
  if (parsed === undefined) return null;
  if (typeof parsed === 'string' || parsed instanceof Uint8Array) return parsed;
  // What is no JSON is refused.
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

/** Until the stream or the connection ends. What the connection does not take waits in the stream, which is bounded. */
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
  // A connection that has stalled may never drain, and would stay open for ever after its stream.
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
      // Another middleware may have ended the response: a write would be an error that nobody handles.
      if (res.writableEnded) await reader.cancel();
      if (done || res.writableEnded) break;
      if (res.write(value) || res.destroyed) continue;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
    res.end();
  } catch {
    // The stream has failed, which ends the connection above.
  }
}
