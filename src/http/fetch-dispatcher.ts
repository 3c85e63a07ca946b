import type { HttpDispatcher } from '../options/provider-options.js';
import { kindOf } from '../text/describe.js';

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
 * @param fetch - Default: the global one, as it is at each request. Anything that is no function is a TypeError.
 *
 * @example
 * ```ts
 * import { fetchDispatcher, FliptProvider } from 'openfeature-flipt-provider';
 *
 * const provider = new FliptProvider({ url: 'http://localhost:8080', http: { dispatcher: fetchDispatcher() } });
 * ```
 */
export function fetchDispatcher(
  fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init),
): HttpDispatcher {
  if (typeof fetch !== 'function') {
    throw new TypeError(`fetchDispatcher: expected a function like fetch, got ${kindOf(fetch)}`);
  }
  return {
    async request({ origin, path, ...request }) {
      const response = await fetch(origin + path, { ...request, redirect: 'manual' }).catch(hiddenCause);
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

/** Whether this is Cloudflare's runtime, in which a connection belongs to the request that opened it. */
export function isWorkerd(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: unknown } };
  return navigator?.userAgent === 'Cloudflare-Workers';
}
