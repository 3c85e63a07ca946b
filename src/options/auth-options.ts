import * as v from 'valibot';
import { alternatives } from '../base/text/describe.js';
import { callable, filledHeader, filledText, members, set } from './value-rules.js';

/**
 * The credentials that the service asks for, in exactly one of these forms. Credentials never appear in a message, a
 * log or an error.
 */
export type AuthOptions =
  | {
      /** A client token of Flipt. The token is sent as `Authorization: Bearer …`. */
      readonly token: string;
    }
  | {
      /** A JSON Web Token for Flipt's JWT method. The token is sent as `Authorization: JWT …`. */
      readonly jwt: string;
    }
  | {
      /**
       * The path of a file that holds a client token. The file is read again when it changes, and when Flipt rejects
       * the token. If the file cannot be read, no request is sent.
       */
      readonly tokenFile: string;
    }
  | {
      /**
       * A function that returns the headers to send. The function is called for each request, can be async, and must
       * not take longer than `http.timeoutMs`. If the function throws, rejects or takes too long, the request is not
       * sent.
       */
      readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
    }
  | {
      /**
       * Logs in by Flipt's Kubernetes method with the service account token of the pod. The file of the token is read
       * for each login. The login is renewed in the background before it expires. With `true`, the token is read from
       * the file at the default path.
       */
      readonly kubernetes: true | KubernetesLoginOptions;
    };

/** How a pod logs in to Flipt. */
export interface KubernetesLoginOptions {
  /** The path of the service account token. Default `/var/run/secrets/kubernetes.io/serviceaccount/token`. */
  readonly tokenPath?: string | undefined;
}

/** Checks a token. The token must not repeat the scheme, Bearer or JWT, because the scheme is sent before it. */
const token = (expected: string) =>
  v.pipe(
    filledHeader(expected),
    v.check((value) => !value.includes(' '), `${expected} alone, without Bearer, JWT or a space`),
  );

/**
 * The form of `auth` that each variable sets. The text of a variable is the credential, or the path of its file.
 * FLIPT_AUTH is the exception: its text is the name of the form.
 */
export const FORM_OF_VARIABLE: Readonly<Record<string, string>> = {
  FLIPT_TOKEN: 'token',
  FLIPT_JWT: 'jwt',
  FLIPT_TOKEN_FILE: 'tokenFile',
  FLIPT_AUTH: 'kubernetes',
};
export const CREDENTIALS = Object.keys(FORM_OF_VARIABLE);

/**
 * Returns the credentials that environment variables name, or `undefined` if no variable names credentials. The
 * function calls `read` to get the value of a variable. Throws a TypeError if more than one variable is set, or if
 * FLIPT_AUTH names an unknown form.
 */
export function authOf(owner: string, read: (variable: string) => string | undefined): object | undefined {
  const named = Object.entries(FORM_OF_VARIABLE).filter(([name]) => read(name));
  if (named.length > 1) {
    const names = named.map(([name]) => name).join(' and ');
    throw new TypeError(`${owner}: ${names}: expected one of them, got ${named.length}`);
  }
  // The message does not show the value of FLIPT_AUTH, because the value might be a token.
  if ((read('FLIPT_AUTH') ?? 'kubernetes') !== 'kubernetes')
    throw new TypeError(`${owner}: FLIPT_AUTH: expected kubernetes, got other text`);
  const auth = named.map(([name, form]) => [form, name === 'FLIPT_AUTH' || read(name)] as const);
  return auth.length === 0 ? undefined : Object.fromEntries(auth);
}

const KUBERNETES = 'true or { tokenPath }';

/** Each form of `auth`, with what it accepts. */
const FORMS = {
  token: v.optional(token('a token')),
  jwt: v.optional(token('a JSON Web Token')),
  tokenFile: v.optional(filledText('the path of a file')),
  headers: v.optional(callable('a function that returns headers')),
  // The rule is not a union of valibot, because the message of a union would not name the wrong option.
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
