import * as v from 'valibot';
import { isWebAddress } from './address.js';
import { unlessItThrows } from '../base/text/describe.js';
import type { HttpDispatcher } from './http-dispatcher.js';
import { callable, filledText, having, members, milliseconds, whole, type RulesOf } from './value-rules.js';

/**
 * The settings for TLS connections to Flipt. The settings also apply to connections that go through a proxy to Flipt.
 */
export interface TlsOptions {
  /** The certificates of the authorities to trust, in PEM. Default: those that Node trusts. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /**
   * A client certificate in PEM. You need a client certificate if Flipt, or a proxy in front of Flipt, asks for one. If
   * you set `cert`, you must also set `key`. Default: none.
   */
  readonly cert?: string | Uint8Array | undefined;
  /** The private key of the client certificate, in PEM and without a passphrase. Default: none. */
  readonly key?: string | Uint8Array | undefined;
  /**
   * The host name that Flipt's certificate must have. Default: the host of `url`, or the host in the header `Host` if
   * the option `headers` has one.
   */
  readonly servername?: string | undefined;
}

/** How the package sends requests. The constructors of the provider and of the client check these options. */
export interface HttpOptions {
  /**
   * How many milliseconds one attempt of an evaluation, or of an operation of the typed client, can take at most, from
   * the moment its connection stands to the end of the answer. Connecting has 3 s of its own; through a proxy or a
   * dispatcher, which do not show when a connection stands, an attempt has both together. A call can have several
   * attempts, and polls have longer limits of their own. Default 500.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How often at most the package repeats an evaluation request, or a request of the typed client, after a connection
   * failure or a status 408, 429, 502, 503 or 504. The package does not repeat an attempt that timed out, or an
   * operation of the typed client that changes something. In an outage, at most ten requests are repeated, and then one
   * for every ten answers. Even with `retries: 0`, the package repeats an evaluation or a read once if its request was
   * sent over an idle connection that turned out to be closed. Default 2.
   */
  readonly retries?: number | undefined;
  /**
   * A dispatcher of undici that sends all requests. The package never closes the dispatcher. You cannot set the address
   * of a proxy, `proxy: 'env'`, `tls` or `socketPath` together with `dispatcher`. Default: none; the package opens its
   * own connections.
   */
  readonly dispatcher?: HttpDispatcher | undefined;
  /**
   * The address of a forward proxy, `'env'`, or `false`. With `'env'`, requests go through the proxy that HTTPS_PROXY
   * (for `https:`), HTTP_PROXY or ALL_PROXY names, unless NO_PROXY names the host of `url`. The package reads the
   * environment variables for proxies once, when you create the provider or the client. With `false`, the package
   * itself uses no proxy. The certificate of an `https:` proxy must be one that Node trusts, because the option `tls`
   * applies to Flipt's certificate only. You cannot set `socketPath` together with the address of a proxy. If you set
   * both `proxy: 'env'` and `socketPath`, requests go to the socket, and not through a proxy. Default: none, unless
   * Node itself uses the proxies of the environment (NODE_USE_ENV_PROXY=1 or `--use-env-proxy`). If Node itself uses
   * the proxies of the environment, the package uses the same proxies, and does not read ALL_PROXY.
   */
  readonly proxy?: string | false | undefined;
  /**
   * The certificates and keys for TLS connections to Flipt, or a function that returns them for each new connection, for
   * example if client certificates rotate. A function cannot be used together with a proxy. Default: none, so that
   * Flipt's certificate must be one that Node trusts.
   */
  readonly tls?: TlsOptions | (() => TlsOptions) | undefined;
  /**
   * The path of a Unix domain socket on which Flipt listens. If you set `socketPath`, the package does not connect to
   * the host and port of `url`, but still takes from `url` the scheme (whether to use TLS), the header `Host`, the name
   * that the certificate must have, and the beginning of each request's path. Default: none.
   */
  readonly socketPath?: string | undefined;
}

/**
 * Returns whether the user and the password in a proxy's address can be percent-decoded. The package sends the decoded
 * user and password to the proxy.
 */
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
const TLS = '{ ca, cert, key, servername } or a function that returns them';
const certificates = v.pipe(
  members(
    {
      ca: v.optional(v.union([pem, v.array(pem)], `${PEM}, or a list of them`)),
      cert: v.optional(pem),
      key: v.optional(pem),
      servername: v.optional(filledText('a host name')),
    } satisfies RulesOf<TlsOptions>,
    TLS,
  ),
  v.check(({ cert, key }) => (cert === undefined) === (key === undefined), 'cert and key together'),
);
// This rule is not a valibot union, because the error message of a union would not name the wrong option.
const tls = v.lazy((given) => (typeof given === 'function' ? callable<() => TlsOptions>() : certificates));

/** The user and the password are sent decoded. */
export const isProxyAddress = (value: string) => isWebAddress(value) && hasReadableUser(value);

const PROXY = 'an http: or https: address';
const proxyAddress = v.pipe(
  v.string(`'env', false or ${PROXY}`),
  v.check(isWebAddress, `'env', false or ${PROXY}`),
  v.check(hasReadableUser, 'an address whose user and password are percent-encoded'),
  v.transform((value) => new URL(value)),
);

export const httpRule = v.pipe(
  members({
    timeoutMs: v.optional(milliseconds(1)),
    retries: v.optional(whole(0, 'attempts')),
    dispatcher: v.optional(having<HttpDispatcher>(['request'], 'an undici dispatcher')),
    proxy: v.optional(
      v.lazy((given) => (given === 'env' || given === false ? v.literal(given) : proxyAddress)),
    ),
    tls: v.optional(tls),
    socketPath: v.optional(filledText('the path of a Unix domain socket')),
  } satisfies RulesOf<HttpOptions>),
  v.check(
    (given) =>
      given.dispatcher === undefined || ((given.proxy || given.tls) ?? given.socketPath) === undefined,
    'either dispatcher, or proxy, tls and socketPath',
  ),
  // `proxy: 'env'` together with `socketPath` is no mistake, because other connections of the app can need the proxies
  // of the environment. Connections to the socket do not use a proxy.
  v.check(
    (given) => !(given.proxy instanceof URL && given.socketPath !== undefined),
    'either proxy or socketPath',
  ),
  // The defaults are filled in after all checks, because error messages must show only those options that the user has
  // set.
  v.transform((given) => ({ ...given, timeoutMs: given.timeoutMs ?? 500, retries: given.retries ?? 2 })),
);

/** The HTTP options with their defaults filled in. */
export type CheckedHttp = v.InferOutput<typeof httpRule>;
