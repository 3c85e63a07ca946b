import { ofrepHandler } from './handler.js';
import type { OfrepOptions } from './options.js';

export type { FlagEvaluator, OfrepOptions, PushOptions, ValueKind } from './options.js';

/**
 * Serves flags to browsers over the OpenFeature Remote Evaluation Protocol (OFREP): `POST /ofrep/v1/evaluate/flags` and
 * `POST /ofrep/v1/evaluate/flags/{key}`, for the user that `context` names. For frameworks whose handlers take a
 * `Request` and return a `Response`, such as Hono and Next.js. For Express, use `openfeature-flipt-provider/express`.
 *
 * The path can have a prefix, such as `/api`. An answer takes at most 1 s for `context`, 10 s for a body, and the
 * provider's `deadlineMs`. The handler rejects if `context`, `flags` or `values` throws or returns
 * something unusable, and if the body has already been read.
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
 *   context: async (request) => {
 *     const { userId } = await sessionOf(request);
 *     return userId === undefined ? {} : { targetingKey: userId };
 *   },
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
