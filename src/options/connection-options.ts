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

/** Receives messages about what happens in the background. The loggers of OpenFeature have the same four methods. */
export interface Logger {
  /**
   * Receives errors. At present, the package logs only one problem as an error: that Flipt has lost its flags. The
   * package logs nearly all other problems as warnings, because the provider goes on working.
   */
  error(...args: unknown[]): void;
  /**
   * Receives warnings. The package usually logs one warning when a problem begins, and one when the problem is over.
   * Some warnings come at most once after a start: for example that credentials are sent unencrypted to another
   * machine, that the cache answered fewer than 50 of the first 1,000 look-ups, or that a percentage decides although
   * the context has no targetingKey.
   */
  warn(...args: unknown[]): void;
  /**
   * Receives messages that can interest an operator, for example that flags have changed, or that Flipt offers no
   * snapshots.
   */
  info(...args: unknown[]): void;
  /** Receives details that help to find the cause of a problem, for example that one of two problems is over. */
  debug(...args: unknown[]): void;
}

/** The options that the provider and the typed client share. */
export interface ConnectionOptions {
  /**
   * The base address of Flipt. The address begins with `http:` or `https:`. If the address has a path, the path of each
   * request begins with that path. Default: FLIPT_URL, else `http://localhost:8080`.
   */
  readonly url?: string | URL | undefined;
  /**
   * The credentials for Flipt. Default: the credentials that FLIPT_TOKEN, FLIPT_JWT, FLIPT_TOKEN_FILE or
   * FLIPT_AUTH=kubernetes name, else none. If `auth` is set, or if the option `headers` has an `Authorization`, the
   * package does not read the environment variables for credentials. If the package reads the environment variables for
   * credentials, and more than one of them is set, the constructor throws a TypeError.
   */
  readonly auth?: AuthOptions | undefined;
  /**
   * The environment of Flipt v2 in which flags are evaluated. The package sends the name of the environment in the
   * header X-Flipt-Environment. Default: FLIPT_ENVIRONMENT, else none.
   */
  readonly environment?: string | undefined;
  /**
   * The revision from which flags are evaluated, if Flipt's store has revisions. With a `reference`, the provider does
   * not watch for changes, and cannot evaluate in-process. Default: FLIPT_REFERENCE, else none.
   */
  readonly reference?: string | undefined;
  /**
   * Headers that the package sends with each request. You can set a header `Host`. If `headers` and `auth` both have a
   * header of the same name, the package sends the header of `auth`. The constructor throws a TypeError for headers
   * that belong to the connection, such as `Connection` or `Content-Length`. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * How long an attempt of a request can take, how often the package repeats a failed request, and how it opens
   * connections. Default: the defaults of its members.
   */
  readonly http?: HttpOptions | undefined;
  /**
   * Receives messages about what happens in the background. The package ignores errors that the logger throws. Default:
   * warnings and errors to the console, where each line begins with the name of the package.
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

/**
 * Error messages can show the texts of the options that this pattern matches, because nobody puts a credential into
 * these options by mistake.
 */
const SHOWN = /^(?:environment|reference|http\.(?:timeoutMs|retries|socketPath))$/;

/**
 * Makes the rules for the options of a class that opens connections. `others` contains the rules for the other options
 * of the class, none of which is a credential.
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
      if (path === 'url') return isOfSocket(given) ? 'for a socket, use http.socketPath' : addressHint(given);
      if (path === 'http.proxy') return addressHint(given, 'http:');
      if (path === 'auth' && typeof given === 'string') return `did you mean ${AUTH}?`;
      const rightName = OTHER_NAMES.find(([names]) => names.test(path))?.[1];
      return rightName && `did you mean ${rightName}?`;
    },
  };
}

/**
 * Returns whether a value is an address such as `unix:/run/flipt.sock`, which other clients accept for a Unix domain
 * socket.
 */
const isOfSocket = (given: unknown) => typeof given === 'string' && /^unix:/i.test(given);

const AUTH = 'auth: { token } or auth: { jwt }';

/** The names that options of this package have in other clients and providers. */
const OTHER_NAMES: readonly (readonly [names: RegExp, meant: string])[] = [
  [/^(authentication(Strategy)?|(api|access|client|sdk)_?(key|token)|bearer(token)?)$/i, AUTH],
  [/^(base|flipt|server|service)ur[il]$|^(host|endpoint|address)$/i, '"url"'],
  [/^(http\.)?(fetch|(https?)?agent)$/i, 'http: { dispatcher }'],
  [/^(http\.)?(rejectUnauthorized|insecure)$/i, 'http: { tls: { ca } }'],
  [/^(request)?timeout(ms)?$/i, 'http: { timeoutMs }'],
];

export const clientRules = connectionRules('FliptClient', {});
