import * as v from 'valibot';
import { callable, filledHeader, filledText, members, set } from './value-rules.js';

/** The service's credentials, in one of these forms. They never appear in a message, log or error. */
export type AuthOptions =
  | {
      /** A client token, sent as `Authorization: Bearer …`. */
      readonly token: string;
    }
  | {
      /** A JSON Web Token, sent as `Authorization: JWT …`: Flipt's scheme for its JWT method. */
      readonly jwt: string;
    }
  | {
      /** Path of a file that holds a client token; read again when it changes and when the service rejects the token. */
      readonly tokenFile: string;
    }
  | {
      /**
       * Returns the headers to send; called for each request. May be async and take at most `http.timeoutMs`. If it
       * fails, nothing is sent.
       */
      readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
    }
  | {
      /**
       * Logs in with the pod's service account token, by Flipt's Kubernetes method. The file is read for each login. The
       * login is renewed in the background before it expires.
       */
      readonly kubernetes: true | KubernetesLoginOptions;
    };

/** How a pod logs in. */
export interface KubernetesLoginOptions {
  /** Path of the service account token. Default `/var/run/secrets/kubernetes.io/serviceaccount/token`. */
  readonly tokenPath?: string | undefined;
}

/** The token is sent after its scheme, Bearer or JWT, so it must not repeat that. */
const token = (expected: string) =>
  v.pipe(
    filledHeader(expected),
    v.check((value) => !value.includes(' '), `${expected} alone, without Bearer, JWT or a space`),
  );

/** The form that each variable sets. Its text is the credential, or where it is; only FLIPT_AUTH names the form itself. */
export const FORM_OF_VARIABLE: Readonly<Record<string, string>> = {
  FLIPT_TOKEN: 'token',
  FLIPT_JWT: 'jwt',
  FLIPT_TOKEN_FILE: 'tokenFile',
  FLIPT_AUTH: 'kubernetes',
};
export const CREDENTIALS = Object.keys(FORM_OF_VARIABLE);

/**
 * The credentials of the environment, whose variables `read` reads. Throws a TypeError if there is more than one, or an
 * unknown way to log in.
 */
export function authOf(owner: string, read: (variable: string) => string | undefined): object | undefined {
  const named = Object.entries(FORM_OF_VARIABLE).filter(([name]) => read(name));
  if (named.length > 1) {
    const names = named.map(([name]) => name).join(' and ');
    throw new TypeError(`${owner}: ${names}: expected one of them, got ${named.length}`);
  }
  // The message does not show the value, which may be a token.
  if ((read('FLIPT_AUTH') ?? 'kubernetes') !== 'kubernetes')
    throw new TypeError(`${owner}: FLIPT_AUTH: expected kubernetes, got other text`);
  const auth = named.map(([name, form]) => [form, name === 'FLIPT_AUTH' || read(name)] as const);
  return auth.length === 0 ? undefined : Object.fromEntries(auth);
}

const AUTH = '{ token }, { jwt }, { tokenFile }, { headers } or { kubernetes }, one of them';
const KUBERNETES = 'true or { tokenPath }';

export const authRule = v.pipe(
  members(
    {
      token: v.optional(token('a token')),
      jwt: v.optional(token('a JSON Web Token')),
      tokenFile: v.optional(filledText('the path of a file')),
      headers: v.optional(callable('a function that returns headers')),
      // Not a union, because a union's message would not name the wrong option.
      kubernetes: v.optional(
        v.lazy((given) =>
          typeof given === 'object'
            ? members({ tokenPath: v.optional(filledText('the path of a file')) }, KUBERNETES)
            : v.literal(true, KUBERNETES),
        ),
      ),
    },
    AUTH,
  ),
  v.check((given) => Object.keys(set(given)).length === 1, AUTH),
  v.transform((given) => set(given) as AuthOptions),
);
