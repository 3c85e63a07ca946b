import * as v from 'valibot';
import { isWebAddress } from './address.js';
import { unlessItThrows } from '../base/text/describe.js';
import type { HttpDispatcher } from './http-dispatcher.js';
import { filledText, having, members, milliseconds, whole, type RulesOf } from './value-rules.js';

/** TLS of the connection to the service, also through a proxy. Default: as in Node. */
export interface TlsOptions {
  /** Trusted certificate authorities in PEM. Default: those that Node trusts. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** Client certificate in PEM. Default: none. */
  readonly cert?: string | Uint8Array | undefined;
  /** The client certificate's private key in PEM. Default: none. */
  readonly key?: string | Uint8Array | undefined;
  /** Host name that the service's certificate must have. Default: the host of `url`; a `Host` in `headers` wins over that. */
  readonly servername?: string | undefined;
}

/** How requests are sent. Checked when the provider or client is created. */
export interface HttpOptions {
  /** Milliseconds that one attempt may take: connecting, headers and body together; at least 1. Default 500. */
  readonly timeoutMs?: number | undefined;
  /**
   * Further attempts after a connection failure, 408, 429, 502, 503 or 504; not after a time-out. Default 2; 0 turns
   * them off. Within ten seconds, retries are at most 20 % of the first attempts, or three.
   */
  readonly retries?: number | undefined;
  /**
   * An undici dispatcher to send with; never closed by this package. Excludes `proxy`, `tls` and `socketPath`.
   * Default: none; the package opens its own connections.
   */
  readonly dispatcher?: HttpDispatcher | undefined;
  /**
   * Address of a forward proxy, or `'env'` for the one that HTTPS_PROXY (for `https:`), HTTP_PROXY or ALL_PROXY names,
   * unless NO_PROXY excepts the host of `url`; read once, when the provider or client is created. `false`: never a proxy.
   * A certificate of an `https:` proxy must be one that Node trusts: `tls` is for the service alone. Excludes
   * `socketPath`. Default: none; where Node itself uses the proxies of the environment (NODE_USE_ENV_PROXY=1 or
   * `--use-env-proxy`), so does the package, without ALL_PROXY.
   */
  readonly proxy?: string | false | undefined;
  /** Certificates for TLS. Default: none. */
  readonly tls?: TlsOptions | undefined;
  /**
   * Path of a Unix domain socket on which the service listens. `url` then gives only the Host header. Default: none.
   */
  readonly socketPath?: string | undefined;
}

/** The proxy gets them decoded. */
const hasReadableUser = (value: string) => {
  if (!URL.canParse(value)) return true;
  const { username, password } = new URL(value);
  return unlessItThrows(() => decodeURIComponent(username + password)) !== undefined;
};

const PEM = 'PEM as text (-----BEGIN …) or bytes, not the path of a file';
const pem = v.custom<string | Uint8Array>(
  (value) => (typeof value === 'string' ? value.includes('-----BEGIN ') : value instanceof Uint8Array),
  PEM,
);
const tls = members(
  {
    ca: v.optional(v.union([pem, v.array(pem)], `${PEM}, or a list of them`)),
    cert: v.optional(pem),
    key: v.optional(pem),
    servername: v.optional(filledText('a host name')),
  } satisfies RulesOf<TlsOptions>,
  '{ ca, cert, key, servername }',
);

const PROXY = 'an http: or https: address';

/** The address of a proxy, wherever it was given. Gives it as a URL. */
export const proxyRule = (expected = PROXY) =>
  v.pipe(
    v.string(expected),
    v.check(isWebAddress, expected),
    v.check(hasReadableUser, 'an address whose user and password are percent-encoded'),
    v.transform((value) => new URL(value)),
  );

export const httpRule = v.pipe(
  members({
    timeoutMs: v.optional(milliseconds(1)),
    retries: v.optional(whole(0, 'attempts')),
    dispatcher: v.optional(having<HttpDispatcher>(['request'], 'an undici dispatcher')),
    proxy: v.optional(
      v.lazy((given) =>
        given === 'env' || given === false ? v.literal(given) : proxyRule(`'env', false or ${PROXY}`),
      ),
    ),
    tls: v.optional(tls),
    socketPath: v.optional(filledText('the path of a Unix domain socket')),
  } satisfies RulesOf<HttpOptions>),
  v.check(
    (given) =>
      given.dispatcher === undefined || ((given.proxy || given.tls) ?? given.socketPath) === undefined,
    'either dispatcher, or proxy, tls and socketPath',
  ),
  v.check((given) => !given.proxy || given.socketPath === undefined, 'either proxy or socketPath'),
  // Last, because the messages above show the names that were given.
  v.transform((given) => ({ ...given, timeoutMs: given.timeoutMs ?? 500, retries: given.retries ?? 2 })),
);

/** With their defaults. */
export type CheckedHttp = v.InferOutput<typeof httpRule>;
