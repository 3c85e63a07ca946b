import type { CallOptions } from './call-options.js';

/** How a client authenticates. A later version of Flipt might have more methods. */
export type AuthenticationMethod =
  | 'METHOD_NONE'
  | 'METHOD_TOKEN'
  | 'METHOD_OIDC'
  | 'METHOD_KUBERNETES'
  | 'METHOD_JWT'
  | (string & {});

/** Flipt's record of a token, which does not contain the token itself. */
export interface Authentication {
  /** The id of the record, which {@link TokenOperations.get} takes. The id is not the token. */
  readonly id: string;
  /** How a client with this token authenticates: `METHOD_TOKEN` for tokens from {@link TokenOperations.create}. */
  readonly method: AuthenticationMethod;
  /** When the record was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the record was last changed, in ISO 8601. */
  readonly updatedAt: string;
  /** When the token expires, in ISO 8601. The member is absent if the token does not expire. */
  readonly expiresAt?: string | undefined;
  /**
   * The entries that were given when the token was created, and Flipt's own entries, whose names begin with
   * `io.flipt.auth.`.
   */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A new token and its record. */
export interface CreatedToken {
  /** The token, which a client sends as `Authorization: Bearer …`. Flipt never shows it again. */
  readonly clientToken: string;
  /** The record of the token. */
  readonly authentication: Authentication;
}

/** The content of a new token. */
export interface NewToken {
  /** A name for people to read, which Flipt keeps in the metadata as `io.flipt.auth.token.name`. */
  readonly name: string;
  /**
   * A description for people to read, which Flipt keeps in the metadata as `io.flipt.auth.token.description`. Default:
   * none.
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
 * Creates client tokens and reads their records. Flipt offers these operations only if its token authentication is
 * enabled. Each operation ends within `http.timeoutMs` × (`http.retries` + 1).
 */
export interface TokenOperations {
  /**
   * Creates a token. The request is sent only once, even if it fails. If the connection fails, Flipt might have created
   * a token that nobody knows.
   *
   * @example
   * ```ts
   * const { clientToken } = await client.tokens.create({ name: 'ci', namespaceKey: 'web' });
   * ```
   */
  create(token: NewToken, options?: CallOptions): Promise<CreatedToken>;
  /** Reads the record of a token, by the record's id. Rejects with `NOT_FOUND` if there is no such record. */
  get(id: string, options?: CallOptions): Promise<Authentication>;
}
