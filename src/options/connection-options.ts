import * as v from 'valibot';
import { alternatives } from '../base/text/describe.js';
import { isConnectionHeader, isHeaderName } from '../base/text/header.js';
import { address } from './address.js';
import { httpRule, type HttpOptions } from './http-options.js';
import {
  callable,
  defined,
  filledText,
  having,
  headerText,
  members,
  plain,
  staysInPath,
  token,
  type RulesOf,
} from './value-rules.js';

/** For what happens in the background. OpenFeature's loggers have the same four methods. */
export interface Logger {
  /** Only that Flipt has lost its flags. */
  error(...args: unknown[]): void;
  /** Usually one when a problem begins, and one when it is over; some at most once after a start. */
  warn(...args: unknown[]): void;
  /** Such as that flags have changed. */
  info(...args: unknown[]): void;
  debug(...args: unknown[]): void;
}

/** The credentials for Flipt, in exactly one of these forms. Those of six or more characters are redacted everywhere. */
export type AuthOptions =
  | {
      /** A client token of Flipt, sent as `Authorization: Bearer …`. */
      readonly token: string;
    }
  | {
      /** A JSON Web Token for Flipt's JWT method, sent as `Authorization: JWT …`. */
      readonly jwt: string;
    }
  | {
      /** Read for each request, so that a token can rotate. */
      readonly tokenFile: string;
    }
  | {
      /**
       * Called before each attempt of a request, and again after Flipt has rejected the headers. If it throws, rejects or
       * takes longer than `http.timeoutMs`, the request is not sent.
       */
      readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
    }
  | {
      /** Logs in with the service account token of the pod, and again before the login expires. */
      readonly kubernetes: true | KubernetesLoginOptions;
    };

export interface KubernetesLoginOptions {
  /**
   * The file with the service account token, read for each login. Default
   * `/var/run/secrets/kubernetes.io/serviceaccount/token`.
   */
  readonly tokenPath?: string | undefined;
}

/** The options that the provider and the typed client share. */
export interface ConnectionOptions {
  /** The base address of Flipt. A path in it is kept. Default: FLIPT_URL, else `http://localhost:8080`. */
  readonly url?: string | URL | undefined;
  /**
   * Default: the credentials that FLIPT_TOKEN, FLIPT_JWT, FLIPT_TOKEN_FILE or FLIPT_AUTH=kubernetes name, else none. More
   * than one of these variables is a TypeError. They are not read if `headers` has an `Authorization`.
   */
  readonly auth?: AuthOptions | undefined;
  /** The environment of Flipt v2. Default: FLIPT_ENVIRONMENT, else none. */
  readonly environment?: string | undefined;
  /**
   * The revision to evaluate, where Flipt's store has revisions. The provider then watches nothing, and cannot evaluate
   * in-process. Default: FLIPT_REFERENCE, else none.
   */
  readonly reference?: string | undefined;
  /**
   * Sent with each request, except where `auth` has a header of the same name. Headers of the connection, such as
   * `Content-Length`, are a TypeError. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly http?: HttpOptions | undefined;
  /** Its errors are ignored. Default: warnings and errors to the console. */
  readonly logger?: Logger | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const FORM_OF_VARIABLE: Readonly<Record<string, string>> = {
  FLIPT_TOKEN: 'token',
  FLIPT_JWT: 'jwt',
  FLIPT_TOKEN_FILE: 'tokenFile',
  FLIPT_AUTH: 'kubernetes',
};

const KUBERNETES = 'true or { tokenPath }';
const kubernetes = v.lazy((given) =>
  typeof given === 'object'
    ? members({ tokenPath: v.optional(filledText('the path of a file')) }, KUBERNETES)
    : v.literal(true, KUBERNETES),
);
const FORMS = {
  token: v.optional(token('a token')),
  jwt: v.optional(token('a JSON Web Token')),
  tokenFile: v.optional(filledText('the path of a file')),
  headers: v.optional(callable('a function that returns headers')),
  kubernetes: v.optional(kubernetes),
};
const AUTH = `exactly one of ${alternatives(Object.keys(FORMS).map((name) => `{ ${name} }`))}`;
const auth = v.pipe(
  members(FORMS, AUTH),
  v.check((given) => Object.keys(defined(given)).length === 1, AUTH),
  v.transform((given) => defined(given) as AuthOptions),
);

const HEADERS = 'an object of header names and values';
const headerName = v.pipe(
  v.string(),
  v.check(isHeaderName, 'a header name without spaces and colons'),
  v.check((name) => !isConnectionHeader(name), 'a header that does not belong to the connection'),
);

const ENVIRONMENT = 'the name of an environment';
const LEVELS = ['error', 'warn', 'info', 'debug'];

export const connectionEntries = {
  url: v.optional(address, 'http://localhost:8080'),
  auth: v.optional(auth),
  environment: v.optional(
    v.pipe(
      filledText(ENVIRONMENT),
      v.check(
        (text) => !/[\p{Cc}\u2028\u2029]/u.test(text),
        `${ENVIRONMENT} without line breaks and other control characters`,
      ),
      staysInPath(ENVIRONMENT),
    ),
  ),
  reference: v.optional(filledText('the name of a revision')),
  headers: v.optional(plain(v.record(headerName, headerText('text'), HEADERS), HEADERS)),
  http: v.optional(httpRule, {}),
  logger: v.optional(having<Logger>(LEVELS, 'an object with the functions error, warn, info and debug')),
} satisfies RulesOf<ConnectionOptions>;

export const OPTIONS = "an object such as { url: 'http://localhost:8080' }";

export const clientShape = members(connectionEntries, OPTIONS);
