import * as v from 'valibot';
import { text, textIfAny, texts, word } from './fields.js';
import { OFFERED_BY_V1, OFFERED_WITH_TOKENS, type Call, type CallOptions } from './operation.js';
import { pathOf } from './path.js';

/** How somebody is known to the service. A later service may have other words. */
export type AuthenticationMethod =
  'METHOD_NONE' | 'METHOD_TOKEN' | 'METHOD_OIDC' | 'METHOD_KUBERNETES' | 'METHOD_JWT' | (string & {});

/** What the service keeps of a token: not the token itself. */
export interface Authentication {
  /** The record's id, for {@link TokenOperations.get}: not the token. */
  readonly id: string;
  /** `METHOD_TOKEN` for what {@link TokenOperations.create} makes. */
  readonly method: AuthenticationMethod;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** ISO 8601; absent where the token does not expire. */
  readonly expiresAt?: string | undefined;
  /** The caller's entries, and the service's own, whose names begin with `io.flipt.auth.`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A token that has just been made. */
export interface CreatedToken {
  /** The token, to be sent as `Authorization: Bearer …`. It is in this one answer and never again. */
  readonly clientToken: string;
  /** What the service keeps of it. */
  readonly authentication: Authentication;
}

/** A token to be made. */
export interface NewToken {
  /** For people; kept in the metadata as `io.flipt.auth.token.name`. */
  readonly name: string;
  /** For people; kept in the metadata as `io.flipt.auth.token.description`. Default: none. */
  readonly description?: string | undefined;
  /** The one namespace that the token may use; such a token neither makes nor reads tokens. Default: all of them. */
  readonly namespaceKey?: string | undefined;
  /** ISO 8601 with a zone. Default: it does not expire. */
  readonly expiresAt?: string | undefined;
  /** Entries of one's own; they cannot override the service's. Default: none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Tokens, where the service's token authentication is enabled. */
export interface TokenOperations {
  /**
   * Makes a token. Sent once, whatever happens: after a failure of the connection there may be a token that nobody
   * holds.
   *
   * @example
   * ```ts
   * const { clientToken } = await client.tokens.create({ name: 'ci', namespaceKey: 'web' });
   * ```
   */
  create(token: NewToken, options?: CallOptions): Promise<CreatedToken>;
  /** What is known of a token, by the id of its record; `NOT_FOUND` where there is none. */
  get(id: string, options?: CallOptions): Promise<Authentication>;
}

const authentication: v.GenericSchema<unknown, Authentication> = v.object({
  id: text,
  method: word,
  createdAt: text,
  updatedAt: text,
  expiresAt: textIfAny,
  metadata: texts,
});
const createdToken: v.GenericSchema<unknown, CreatedToken> = v.object({ clientToken: text, authentication });

export function tokenOperations(call: Call): TokenOperations {
  return {
    async create(token, options) {
      const operation = {
        name: 'tokens.create',
        method: 'POST',
        path: '/auth/v1/method/token',
        body: token,
        repeatable: false,
        answer: createdToken,
        offered: OFFERED_WITH_TOKENS,
      } as const;
      return call(operation, options);
    },
    async get(id, options) {
      const operation = {
        name: 'tokens.get',
        method: 'GET',
        path: pathOf('/auth/v1/tokens/{id}', { id }),
        repeatable: true,
        answer: authentication,
        offered: OFFERED_BY_V1,
      } as const;
      return call(operation, options);
    },
  };
}
