import type { CallOptions } from './call-options.js';

/** How a client authenticates. A later version of Flipt may have more. */
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
  /** When it was created, in ISO 8601. */
  readonly createdAt: string;
  /** When it was last changed, in ISO 8601. */
  readonly updatedAt: string;
  /** When the token expires, in ISO 8601; absent if it does not expire. */
  readonly expiresAt?: string | undefined;
  /** The entries of whoever created the token, and Flipt's own, whose names begin with `io.flipt.auth.`. */
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
  /** The only namespace that the token may use. Such a token cannot create or read tokens. Default: all namespaces. */
  readonly namespaceKey?: string | undefined;
  /** When the token expires, in ISO 8601 with a time zone. Default: never. */
  readonly expiresAt?: string | undefined;
  /** Your own entries, which cannot override Flipt's. Default: none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * Creates client tokens and reads their records. Flipt offers this only if its token authentication is enabled. Each
 * operation ends within `http.timeoutMs` × (`http.retries` + 1).
 */
export interface TokenOperations {
  /**
   * Creates a token. The request is sent once. If the connection fails, there may be a token that nobody knows.
   *
   * @example
   * ```ts
   * const { clientToken } = await client.tokens.create({ name: 'ci', namespaceKey: 'web' });
   * ```
   */
  create(token: NewToken, options?: CallOptions): Promise<CreatedToken>;
  /** Reads the record of a token, by the record's id. Rejects with `NOT_FOUND` if there is none. */
  get(id: string, options?: CallOptions): Promise<Authentication>;
}
