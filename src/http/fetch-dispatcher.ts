import type { HttpDispatcher } from '../options/http-dispatcher.js';
import { kindOf } from '../base/text/describe.js';

/** `fetch` has decompressed the body already. */
const OF_THE_WIRE = ['content-encoding', 'content-length'];

async function* nothing(): AsyncGenerator<Uint8Array, void> {
  // A 304 has no body.
}

/**
 * A dispatcher that sends with `fetch`, for `http.dispatcher`: for runtimes that know no other way, such as Cloudflare
 * Workers, where the package takes it by itself, and to use a `fetch` that a platform or a test gives. Such a `fetch`
 * decides about connections, certificates and proxies, and may not send a header `Host`.
 *
 * @param send - Default: the global one, as it is at each request. Anything that is no function is a TypeError.
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

/** Node's fetch says no more than "fetch failed". */
function hiddenCause(error: unknown): never {
  throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** Node 20 has none. */
declare const navigator: { readonly userAgent?: unknown } | undefined;

/** Whether this is Cloudflare's runtime, in which a connection belongs to the request that opened it. */
export function isWorkerd(): boolean {
  return typeof navigator !== 'undefined' && navigator.userAgent === 'Cloudflare-Workers';
}
