import * as v from 'valibot';
import { dates, text, textIfAny, texts, word } from '../answer-fields.js';
import type { Call, CallOptions, ClientOperation } from './client-operation.js';

/** How a client authenticates. A later service may have more. */
export type AuthenticationMethod =
  | 'METHOD_NONE'
  | 'METHOD_TOKEN'
  | 'METHOD_OIDC'
  | 'METHOD_KUBERNETES'
  | 'METHOD_JWT'
  | (string & {});

/** The service's record of a token: not the token itself. */
export interface Authentication {
  /** The record's id, for {@link TokenOperations.get}: not the token. */
  readonly id: string;
  /** `METHOD_TOKEN` for tokens from {@link TokenOperations.create}. */
  readonly method: AuthenticationMethod;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** ISO 8601; absent if the token does not expire. */
  readonly expiresAt?: string | undefined;
  /** The caller's entries, and the service's, whose names begin with `io.flipt.auth.`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A new token and its record. */
export interface CreatedToken {
  /** The token, to send as `Authorization: Bearer …`. Only this answer has it. */
  readonly clientToken: string;
  /** Its record. */
  readonly authentication: Authentication;
}

/** The content of a new token. */
export interface NewToken {
  /** For people; kept in the metadata as `io.flipt.auth.token.name`. */
  readonly name: string;
  /** For people; kept in the metadata as `io.flipt.auth.token.description`. Default: none. */
  readonly description?: string | undefined;
  /** The only namespace that the token may use; it then cannot create or read tokens. Default: all namespaces. */
  readonly namespaceKey?: string | undefined;
  /** ISO 8601 with a zone. Default: it does not expire. */
  readonly expiresAt?: string | undefined;
  /** Your own entries; they cannot override the service's. Default: none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * Tokens; they need the service's token authentication to be enabled. Each operation ends within `http.timeoutMs` ×
 * (`http.retries` + 1).
 */
export interface TokenOperations {
  /**
   * Creates a token. Sent once: after a failed connection, there may be a token that nobody knows.
   *
   * @example
   * ```ts
   * const { clientToken } = await client.tokens.create({ name: 'ci', namespaceKey: 'web' });
   * ```
   */
  create(token: NewToken, options?: CallOptions): Promise<CreatedToken>;
  /** A token's record, by the record's id; `NOT_FOUND` if there is none. */
  get(id: string, options?: CallOptions): Promise<Authentication>;
}

const authentication: v.GenericSchema<unknown, Authentication> = v.object({
  id: text,
  method: word,
  ...dates,
  expiresAt: textIfAny,
  metadata: texts,
});
const createdToken: v.GenericSchema<unknown, CreatedToken> = v.object({ clientToken: text, authentication });

const CREATE: ClientOperation<CreatedToken> = {
  name: 'tokens.create',
  method: 'POST',
  path: '/auth/v1/method/token',
  answer: createdToken,
  offered: 'Flipt v1 offers it where its token authentication is enabled; Flipt v2 serves evaluation only.',
};
const path = '/auth/v1/tokens/{id}';
const GET: ClientOperation<Authentication> = {
  name: 'tokens.get',
  method: 'GET',
  path,
  answer: authentication,
};

export function tokenOperations(call: Call): TokenOperations {
  return {
    create: (body, options) => call(CREATE, { body }, options),
    get: (id, options) => call(GET, { parts: { id } }, options),
  };
}
