import * as v from 'valibot';
import { isWebAddress } from './address.js';
import { unlessItThrows } from '../base/text/describe.js';
import type { HttpDispatcher } from './http-dispatcher.js';
import { callable, filledText, having, members, milliseconds, whole, type RulesOf } from './value-rules.js';

/** For every connection to Flipt, also through a proxy. */
export interface TlsOptions {
  /** The authorities to trust, in PEM. Default: those that Node trusts. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** A client certificate in PEM, together with `key`. Default: none. */
  readonly cert?: string | Uint8Array | undefined;
  /** In PEM, without a passphrase. Default: none. */
  readonly key?: string | Uint8Array | undefined;
  /** The name that Flipt's certificate must have. Default: the header `Host` of `headers`, or the host of `url`. */
  readonly servername?: string | undefined;
}

export interface HttpOptions {
  /**
   * The longest that one attempt of an evaluation, or of an operation of the typed client, may take once its
   * connection stands. Connecting has 3 s more; through a proxy or a dispatcher, an attempt has both together. Polls
   * have longer limits. Default 500.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * After a connection failure or a status 408, 429, 502, 503 or 504, but not after a time-out, and never for a
   * change. In an outage, at most ten, and then one for every ten answers. Even with 0, a request is sent again if
   * its idle connection turned out to be closed. At most 100. Default 2.
   */
  readonly retries?: number | undefined;
  /** Any undici dispatcher, never closed by the package. Not together with `proxy`, `tls` or `socketPath`. Default: none. */
  readonly dispatcher?: HttpDispatcher | undefined;
  /**
   * An `http:` or `https:` address, `'env'` (HTTPS_PROXY for `https:`, HTTP_PROXY or ALL_PROXY, except for the hosts
   * in NO_PROXY), or `false`. Node must trust the certificate of an `https:` proxy: `tls` is Flipt's. Not used with
   * `socketPath`. Default: what Node itself uses (NODE_USE_ENV_PROXY=1 or `--use-env-proxy`), else none.
   */
  readonly proxy?: string | false | undefined;
  /** A function is asked for each new connection. It excludes a proxy. Default: none. */
  readonly tls?: TlsOptions | (() => TlsOptions) | undefined;
  /** A Unix domain socket. `url` then gives only scheme, path and the header `Host`. Default: none. */
  readonly socketPath?: string | undefined;
}

/** They are sent decoded. */
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
export const certificates = v.pipe(
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
// The message of a union would not name the wrong member.
const tls = v.lazy((given) => (typeof given === 'function' ? callable<() => TlsOptions>() : certificates));

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
    timeoutMs: v.optional(milliseconds(1), 500),
    retries: v.optional(whole(0, 'attempts', 100), 2),
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
  // `proxy: 'env'` is no mistake: it is meant for other connections.
  v.check(
    (given) => !(given.proxy instanceof URL && given.socketPath !== undefined),
    'either proxy or socketPath',
  ),
);

export type CheckedHttp = v.InferOutput<typeof httpRule>;
