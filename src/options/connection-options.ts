import * as v from 'valibot';
import { isConnectionHeader, isHeaderName } from '../base/text/header.js';
import { address, addressHint, isBareAddress } from './address.js';
import { authRule, type AuthOptions } from './auth-options.js';
import type { OptionRules } from './check-options.js';
import { httpRule, type HttpOptions } from './http-options.js';
import {
  filledHeader,
  filledText,
  having,
  headerText,
  members,
  plain,
  staysInPath,
  type RulesOf,
} from './value-rules.js';

/** Receives messages about what happens in the background. OpenFeature's own loggers fit. */
export interface Logger {
  /** Not called at present: what goes wrong in the background is a warning, because the provider goes on. */
  error(...args: unknown[]): void;
  /**
   * For problems: one call when a problem begins and one when it is over. Also, once each: credentials are sent
   * unencrypted to another machine; fewer than 50 of the first 1,000 look-ups were answered from the cache; a
   * percentage decides without a targetingKey.
   */
  warn(...args: unknown[]): void;
  /** For what an operator may want to know: flags that have changed, a service without snapshots. */
  info(...args: unknown[]): void;
  /** For finding a cause; for example, that one problem is over while another lasts. */
  debug(...args: unknown[]): void;
}

/** The options that the provider and the typed client share. */
export interface ConnectionOptions {
  /**
   * Base address of the service, `http:` or `https:`; a path in it is kept.
   * Default: FLIPT_URL, else `http://localhost:8080`.
   */
  readonly url?: string | URL | undefined;
  /**
   * Credentials for the service.
   * Default: FLIPT_TOKEN, FLIPT_JWT, FLIPT_TOKEN_FILE or FLIPT_AUTH=kubernetes (more than one of them set: TypeError),
   * else none.
   */
  readonly auth?: AuthOptions | undefined;
  /** Environment to evaluate in (Flipt v2), sent as X-Flipt-Environment. Default: FLIPT_ENVIRONMENT, else none. */
  readonly environment?: string | undefined;
  /** Revision to evaluate, if the service's store has revisions. Default: FLIPT_REFERENCE, else none. */
  readonly reference?: string | undefined;
  /**
   * Headers sent with each request; `Host` is allowed. `auth` wins over a header of the same name. Headers of the
   * connection itself, such as `Connection` or `Content-Length`, are a TypeError. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Time-outs, retries and how to connect. Default: what its members say. */
  readonly http?: HttpOptions | undefined;
  /**
   * Receives messages about what happens in the background; anything it throws is ignored.
   * On the console, each line begins with the name of the package.
   * Default: warnings and errors to the console.
   */
  readonly logger?: Logger | undefined;
}

const HEADERS = 'an object of header names and values';
const headerName = v.pipe(
  v.string(),
  v.check(isHeaderName, 'a header name without spaces and colons'),
  v.check((name) => !isConnectionHeader(name), 'a header that does not belong to the connection'),
);

const LEVELS = ['error', 'warn', 'info', 'debug'];

const ENVIRONMENT = 'the name of an environment';

const connectionShape = {
  url: v.optional(address, 'http://localhost:8080'),
  auth: v.optional(authRule),
  environment: v.optional(v.pipe(filledHeader(ENVIRONMENT), staysInPath(ENVIRONMENT))),
  reference: v.optional(filledText('the name of a revision')),
  headers: v.optional(plain(v.record(headerName, headerText('text'), HEADERS), HEADERS)),
  http: v.optional(httpRule, {}),
  logger: v.optional(having<Logger>(LEVELS, 'an object with the functions error, warn, info and debug')),
} satisfies RulesOf<ConnectionOptions>;

/** Where nobody puts a credential, not even by mistake. */
const SHOWN = /^(?:environment|reference|http\.(?:timeoutMs|retries|socketPath))$/;

/**
 * The rules for the options of a class that opens connections. `others` are the rules for its other options, which hold
 * no credentials.
 */
export function connectionRules<Others extends Readonly<Record<string, v.GenericSchema>>>(
  owner: string,
  others: Others,
): Required<Omit<OptionRules<ReturnType<typeof members<typeof connectionShape & Others>>>, 'nameOf'>> {
  return {
    owner,
    shape: members({ ...connectionShape, ...others }),
    showsText: (path, text) =>
      path === 'url'
        ? isBareAddress(text)
        : SHOWN.test(path) || Object.hasOwn(others, path.split('.', 1)[0] ?? ''),
    showsNames: (path) => /^(auth|http|logger)$/.test(path),
    hint: (path, given) => {
      if (path === 'url') return addressHint(given);
      if (path === 'auth' && typeof given === 'string') return `did you mean ${AUTH}?`;
      const meant = OTHER_NAMES.find(([names]) => names.test(path))?.[1];
      return meant && `did you mean ${meant}?`;
    },
  };
}

const AUTH = 'auth: { token } or auth: { jwt }';

/** What other clients and providers call these options. */
const OTHER_NAMES: readonly (readonly [names: RegExp, meant: string])[] = [
  [/^(authentication(Strategy)?|(api|access|client|sdk)_?(key|token)|bearer(token)?)$/i, AUTH],
  [/^(base|flipt|server|service)ur[il]$|^(host|endpoint|address)$/i, '"url"'],
  [/^(http\.)?(fetch|(https?)?agent)$/i, 'http: { dispatcher }'],
  [/^(http\.)?(rejectUnauthorized|insecure)$/i, 'http: { tls: { ca } }'],
  [/^(request)?timeout(ms)?$/i, 'http: { timeoutMs }'],
];

export const clientRules = connectionRules('FliptClient', {});
