import type { CallOptions } from './call-options.js';

/** How a client of Flipt authenticates. A later version of Flipt might have more methods. */
export type AuthenticationMethod =
  | 'METHOD_NONE'
  | 'METHOD_TOKEN'
  | 'METHOD_OIDC'
  | 'METHOD_KUBERNETES'
  | 'METHOD_JWT'
  | (string & {});

/** Flipt's record of a token, which does not contain the token itself. */
export interface Authentication {
  /** The id of the record. {@link TokenOperations.get} takes this id, which is not the token itself. */
  readonly id: string;
  /** How a client with this token authenticates: `METHOD_TOKEN` for tokens from {@link TokenOperations.create}. */
  readonly method: AuthenticationMethod;
  /** When the record was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the record was last changed, in ISO 8601. */
  readonly updatedAt: string;
  /** When the token expires, in ISO 8601. This member is absent if the token does not expire. */
  readonly expiresAt?: string | undefined;
  /**
   * The entries that were given when the token was created, and Flipt's own entries, whose names begin with
   * `io.flipt.auth.`.
   */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A new token and its record. */
export interface CreatedToken {
  /** The token, which a client sends as `Authorization: Bearer …`. Flipt never shows the token again. */
  readonly clientToken: string;
  /** The record of the token. */
  readonly authentication: Authentication;
}

/** Describes the token that Flipt is to create. */
export interface NewToken {
  /** The name of the token for people to read, which Flipt keeps in the metadata as `io.flipt.auth.token.name`. */
  readonly name: string;
  /**
   * The description of the token for people to read, which Flipt keeps in the metadata as
   * `io.flipt.auth.token.description`. Default: none.
   */
  readonly description?: string | undefined;
  /**
   * The key of the only namespace that the token gives access to. A token that is limited to a namespace cannot create
   * or read tokens. Default: all namespaces.
   */
  readonly namespaceKey?: string | undefined;
  /** When the token expires, in ISO 8601 with a time zone. Default: never. */
  readonly expiresAt?: string | undefined;
  /** Your own entries for the metadata, which cannot override Flipt's own entries. Default: none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * Creates client tokens and reads their records. Only Flipt v1 offers these operations, and only if its token
 * authentication is enabled. Each operation ends within `http.timeoutMs` × (`http.retries` + 1) milliseconds.
 */
export interface TokenOperations {
  /**
   * Creates a token. The client sends the request only once, even if the request fails. If the connection fails during
   * the request, it is possible that Flipt has created a token that nobody knows.
   *
   * @example
   * ```ts
   * const { clientToken } = await client.tokens.create({ name: 'ci', namespaceKey: 'web' });
   * ```
   */
  create(token: NewToken, options?: CallOptions): Promise<CreatedToken>;
  /** Reads the record of a token, by the record's id. Rejects with `NOT_FOUND` if the record does not exist. */
  get(id: string, options?: CallOptions): Promise<Authentication>;
}
