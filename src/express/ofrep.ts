import type { Request as ExpressRequest, RequestHandler, Response as ExpressResponse } from 'express';
import { answering } from '../ofrep/answering.js';
import type { OfrepOptions } from '../ofrep/ofrep-options.js';
import { checkCalled } from './check-called.js';
import { asError } from './express-error.js';

const PATH = /^\/ofrep\/v1\/evaluate\/flags(?:\/[^/]*)?\/?$/;

/**
 * Flags for a browser, over the OpenFeature Remote Evaluation Protocol: answers `POST /ofrep/v1/evaluate/flags` and
 * `POST /ofrep/v1/evaluate/flags/{key}` from the app's own provider, for the user that `context` names. Requests for
 * all other paths go on to the next handler. It works before and after `express.json()`. Throws a TypeError if an
 * option is wrong.
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
  const answer = answering(options);
  return (req, res, next) => {
    if (!PATH.test(req.path)) {
      next();
      return;
    }
    answer(requestOf(req), req)
      .then((response) => send(response, res))
      .catch((reason: unknown) => {
        next(asError('ofrep', reason));
      });
  };
}

/** Passes on only the parts of the request that the protocol uses. */
function requestOf(req: ExpressRequest): Request {
  const { method } = req;
  const headers = new Headers();
  for (const name of ['content-length', 'if-none-match']) {
    const value = req.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  const url = `http://ofrep${req.path}`;
  return method === 'POST'
    ? new Request(url, { method, headers, body: bodyOf(req), duplex: 'half' })
    : new Request(url, { method: 'GET', headers });
}

/**
 * If a middleware has read the body, it is parsed already. Otherwise it is the stream, which must stay open for the
 * response.
 */
function bodyOf(req: ExpressRequest): string | Uint8Array | AsyncIterable<Uint8Array> | null {
  if (!req.readableDidRead) return req.iterator({ destroyOnReturn: false });
  const parsed: unknown = req.body;
  if (parsed === undefined) return null;
  return typeof parsed === 'string' || parsed instanceof Uint8Array ? parsed : textOf(parsed);
}

/** A body nested too deep to be written again becomes `''`, which is refused because it is not JSON. */
function textOf(parsed: unknown): string {
  try {
    return JSON.stringify(parsed);
  } catch {
    return '';
  }
}

async function send(response: Response, res: ExpressResponse): Promise<void> {
  const body = await response.text();
  if (res.headersSent) return;
  res.status(response.status);
  response.headers.forEach((value, name) => {
    res.setHeader(name, value);
  });
  res.end(body);
}
