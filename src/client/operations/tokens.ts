import type { CallOptions } from './call-options.js';

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
