import { ofrepHandler } from './ofrep-handler.js';
import type { OfrepOptions } from './ofrep-options.js';

export type { FlagEvaluator, OfrepOptions, PushOptions, ValueKind } from './ofrep-options.js';

/**
 * Flags for a browser, over the OpenFeature Remote Evaluation Protocol: answers `POST /ofrep/v1/evaluate/flags` and
 * `POST /ofrep/v1/evaluate/flags/{key}` from the app's own provider, for the user that `context` names. For frameworks
 * whose handlers take a `Request` and return a `Response`, such as Hono and Next.js; for Express see the entry
 * `express`.
 *
 * The path may have a prefix. Bodies have at most 64 kB. Throws a TypeError if an option is wrong. The handler ends
 * within `contextTimeoutMs`, 10 s for a body that is slow to arrive, and the provider's `deadlineMs`. It rejects only
 * with what `context` or `flags` has thrown.
 *
 * @example
 * ```ts
 * import { Hono } from 'hono';
 * import { ofrep } from 'openfeature-flipt-provider/ofrep';
 *
 * const flags = ofrep({
 *   context: (request) => ({ targetingKey: request.headers.get('x-user') ?? 'anonymous' }),
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
