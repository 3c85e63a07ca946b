import type { HttpDispatcher } from '../options/http-dispatcher.js';
import { kindOf } from '../base/text/describe.js';

/**
 * These headers describe the body before decompression, and are removed because `fetch` has decompressed the body
 * already.
 */
const OF_THE_WIRE = ['content-encoding', 'content-length'];

async function* nothing(): AsyncGenerator<Uint8Array, void> {
  // This generator yields nothing, because it replaces the missing body of a response, such as a 304.
}

/**
 * Returns a dispatcher that sends with `fetch`, for the option `http.dispatcher`. Use this dispatcher on a runtime that
 * can send requests only with `fetch`, or to send with a `fetch` that a platform or a test provides. On Cloudflare
 * Workers, the package uses this dispatcher by default. `fetch` decides about connections, certificates and proxies, and
 * might not send a header `Host`.
 *
 * @param send - The function that sends requests. Default: the global `fetch`, which is looked up for each request.
 * `fetchDispatcher` throws a TypeError if `send` is not a function.
 *
 * @example
 * ```ts
 * import { fetchDispatcher, FliptProvider } from 'openfeature-flipt-provider';
 *
 * const provider = new FliptProvider({ url: 'http://localhost:8080', http: { dispatcher: fetchDispatcher() } });
 * ```
 */
export function fetchDispatcher(send: typeof fetch = (input, init) => fetch(input, init)): HttpDispatcher {
  if (typeof send !== 'function') {
    throw new TypeError(`fetchDispatcher: expected a function like fetch, got ${kindOf(send)}`);
  }
  return {
    async request({ origin, path, ...request }) {
      const response = await send(origin + path, { ...request, redirect: 'manual' }).catch(hiddenCause);
      const headers = Object.fromEntries(response.headers);
      for (const name of OF_THE_WIRE) Reflect.deleteProperty(headers, name);
      return { statusCode: response.status, headers, body: response.body ?? nothing() };
    },
  };
}

/** Throws the cause of an error if it has one, because the error of Node's fetch says only "fetch failed". */
function hiddenCause(error: unknown): never {
  throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** Node 20 has no `navigator`. */
declare const navigator: { readonly userAgent?: unknown } | undefined;

/**
 * Returns whether this code runs in Cloudflare's runtime, workerd, in which only the request that opened a connection
 * can use the connection.
 */
export function isWorkerd(): boolean {
  return typeof navigator !== 'undefined' && navigator.userAgent === 'Cloudflare-Workers';
}
