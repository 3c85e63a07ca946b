import * as v from 'valibot';
import { alternatives } from '../base/text/describe.js';
import { callable, filledHeader, filledText, members, set } from './value-rules.js';

/**
 * The credentials for Flipt, in exactly one of the following forms. The package itself writes no credentials into
 * messages, logs and errors, and redacts credentials of six or more characters in texts from Flipt, from a gateway or
 * from a dispatcher.
 */
export type AuthOptions =
  | {
      /** A client token of Flipt, which the package sends as `Authorization: Bearer …`. */
      readonly token: string;
    }
  | {
      /** A JSON Web Token for Flipt's JWT method, which the package sends as `Authorization: JWT …`. */
      readonly jwt: string;
    }
  | {
      /**
       * The path of a file that contains a client token. The package reads the file again when the file changes, and
       * when Flipt rejects the token. If the package cannot read the file, it sends no request.
       */
      readonly tokenFile: string;
    }
  | {
      /**
       * A function that returns the headers to send. The package calls the function before each attempt of a request,
       * and again after Flipt has rejected the headers. The function can be async, and must not take longer than
       * `http.timeoutMs`. If the function throws, rejects or takes too long, the package does not send the request.
       */
      readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
    }
  | {
      /**
       * Logs in by Flipt's Kubernetes method, with the service account token of the pod. For each login, the package
       * reads the token from its file. The package renews the login in the background before the login expires. With `true`, the package
       * reads the token from the default path.
       */
      readonly kubernetes: true | KubernetesLoginOptions;
    };

/** How a pod logs in to Flipt. */
export interface KubernetesLoginOptions {
  /**
   * The path of the file that contains the service account token. Default
   * `/var/run/secrets/kubernetes.io/serviceaccount/token`.
   */
  readonly tokenPath?: string | undefined;
}

/**
 * Checks a token, which must not contain a space. A user might write the scheme `Bearer` or `JWT` and a space before
 * the token, but the package itself sends the scheme.
 */
const token = (expected: string) =>
  v.pipe(
    filledHeader(expected),
    v.check((value) => !value.includes(' '), `${expected} alone, without Bearer, JWT or a space`),
  );

/**
 * The form of `auth` that each environment variable sets. The value of a variable is the credential, or the path of a
 * file with the credential. FLIPT_AUTH is the exception: its only value is `kubernetes`, which is the name of a form of
 * `auth`.
 */
export const FORM_OF_VARIABLE: Readonly<Record<string, string>> = {
  FLIPT_TOKEN: 'token',
  FLIPT_JWT: 'jwt',
  FLIPT_TOKEN_FILE: 'tokenFile',
  FLIPT_AUTH: 'kubernetes',
};
export const CREDENTIALS = Object.keys(FORM_OF_VARIABLE);

/**
 * Returns the option `auth` that environment variables set, or `undefined` if they set none. The function calls `read`
 * to get the value of a variable. Throws a TypeError if more than one variable for credentials is set, or if FLIPT_AUTH
 * has any other value than `kubernetes`.
 */
export function authOf(owner: string, read: (variable: string) => string | undefined): object | undefined {
  const named = Object.entries(FORM_OF_VARIABLE).filter(([name]) => read(name));
  if (named.length > 1) {
    const names = named.map(([name]) => name).join(' and ');
    throw new TypeError(`${owner}: ${names}: expected one of them, got ${named.length}`);
  }
  // The error message does not show the value of FLIPT_AUTH, because the value might be a token.
  if ((read('FLIPT_AUTH') ?? 'kubernetes') !== 'kubernetes')
    throw new TypeError(`${owner}: FLIPT_AUTH: expected kubernetes, got other text`);
  const auth = named.map(([name, form]) => [form, name === 'FLIPT_AUTH' || read(name)] as const);
  return auth.length === 0 ? undefined : Object.fromEntries(auth);
}

const KUBERNETES = 'true or { tokenPath }';

/** The rules for the forms of `auth`. */
const FORMS = {
  token: v.optional(token('a token')),
  jwt: v.optional(token('a JSON Web Token')),
  tokenFile: v.optional(filledText('the path of a file')),
  headers: v.optional(callable('a function that returns headers')),
  // This rule is not a valibot union, because the error message of a union would not name the wrong option.
  kubernetes: v.optional(
    v.lazy((given) =>
      typeof given === 'object'
        ? members({ tokenPath: v.optional(filledText('the path of a file')) }, KUBERNETES)
        : v.literal(true, KUBERNETES),
    ),
  ),
};
const AUTH = `exactly one of ${alternatives(Object.keys(FORMS).map((name) => `{ ${name} }`))}`;

export const authRule = v.pipe(
  members(FORMS, AUTH),
  v.check((given) => Object.keys(set(given)).length === 1, AUTH),
  v.transform((given) => set(given) as AuthOptions),
);
