import { ofrepHandler } from './ofrep-handler.js';
import type { OfrepOptions } from './ofrep-options.js';

export type { FlagEvaluator, OfrepOptions, PushOptions, ValueKind } from './ofrep-options.js';

/**
 * Serves flags to browsers over the OpenFeature Remote Evaluation Protocol (OFREP). The handler answers `POST
 * /ofrep/v1/evaluate/flags` and `POST /ofrep/v1/evaluate/flags/{key}` with the app's own provider, for the user that
 * `context` names. Use this handler in frameworks whose route handlers take a `Request` and return a `Response`, such
 * as Hono and Next.js. For Express, use `openfeature-flipt-provider/express`.
 *
 * The path of a request can have a prefix, such as `/api`. A request with a body of more than 64 kB gets a 413. Throws
 * a TypeError if an option is wrong. The handler usually answers within the sum of `contextTimeoutMs`, 10 s for a body,
 * and the provider's `deadlineMs`, or twice `deadlineMs` if `flags` is a function. The handler rejects, for example, if
 * `context`, `flags` or `values` throws or returns something unusable, if `context` takes too long, or if the body has
 * already been read.
 *
 * @example
 * ```ts
 * import { Hono } from 'hono';
 * import { ofrep } from 'openfeature-flipt-provider/ofrep';
 *
 * // Yours: verifies the session's cookie. Whatever else a browser sends is no proof of who it is.
 * declare function sessionOf(request: Request): Promise<{ userId?: string }>;
 *
 * const flags = ofrep({
 *   context: async (request) => ({ targetingKey: (await sessionOf(request)).userId ?? 'anonymous' }),
 *   flags: ['new-checkout', 'button-color'],
 * });
 * const app = new Hono();
 * app.all('/ofrep/v1/evaluate/flags/:key?', (c) => flags(c.req.raw));
 * ```
 */
export function ofrep(options: OfrepOptions<Request>): (request: Request) => Promise<Response> {
  const handle = ofrepHandler(options);
  return (request) => handle(request, request);
}
