import type { CallOptions } from './call.js';

/** Which part of a list to read. Flipt refuses `offset` or `pageToken` without a `limit`: `INVALID_ARGUMENT`. */
export interface PageOptions extends CallOptions {
  /** Default: all entries, as with 0. */
  readonly limit?: number | undefined;
  /** Entries to skip. */
  readonly offset?: number | undefined;
  /** The `nextPageToken` of the page before. With it, Flipt ignores `offset`. */
  readonly pageToken?: string | undefined;
}

export interface IterateOptions extends CallOptions {
  /** Of each request. Default 100; 0 reads all at once. */
  readonly limit?: number | undefined;
}

export interface ListPage {
  /** {@link PageOptions.pageToken} of the next page; `''` on the last one. */
  readonly nextPageToken: string;
  /** Of the whole list. */
  readonly totalCount: number;
}

/** Times in ISO 8601. */
export interface Dated {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/* Flags and variants */

export type FlagType = 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE';

/** Without rules and rollouts. */
export interface Flag extends Dated {
  readonly namespaceKey: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** Of a boolean flag also the value where no rollout applies. */
  readonly enabled: boolean;
  /** A number where Flipt has stored one that stands for neither type. */
  readonly type: FlagType | number;
  readonly variants: readonly Variant[];
  /** What the flag gives if no rule matches. */
  readonly defaultVariant?: Variant | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface FlagPage extends ListPage {
  /** In the order of their creation. */
  readonly flags: readonly Flag[];
}

/** Flipt v1 only. */
export interface FlagOperations {
  /** Empty if the namespace does not exist. */
  list(namespace: string, page?: PageOptions): Promise<FlagPage>;
  /**
   * Requests each page only when its entries are needed.
   *
   * @example
   * ```ts
   * for await (const { key, description } of client.flags.iterate('default')) console.log(key, description);
   * ```
   */
  iterate(namespace: string, options?: IterateOptions): AsyncGenerator<Flag, void, undefined>;
}

export interface Variant extends Dated {
  readonly id: string;
  readonly namespaceKey: string;
  readonly flagKey: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** Compact JSON text, or `''`. */
  readonly attachment: string;
}

/** The whole new content of a variant: Flipt empties what you leave out. */
export interface VariantUpdate {
  readonly key: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Any JSON text of at most 1,000 KB. */
  readonly attachment?: string | undefined;
}

/** Flipt v1 only. */
export interface VariantOperations {
  /**
   * Replaces a variant's content; sent once. {@link FlagOperations.list} and the distributions of the flag's rules tell
   * its id. `NOT_FOUND` if there is no such variant, `INVALID_ARGUMENT` if another one has the key.
   *
   * @example
   * ```ts
   * const { rules } = await client.rules.list('default', 'banner');
   * const id = rules[0]?.distributions[0]?.variantId ?? '';
   * const attachment = JSON.stringify({ color: 'red' });
   * await client.variants.update('default', 'banner', id, { key: 'red', name: 'Red', attachment });
   * ```
   */
  update(
    namespace: string,
    flag: string,
    id: string,
    variant: VariantUpdate,
    options?: CallOptions,
  ): Promise<Variant>;
}

/* Rules */

/** Must an entity be in any of the rule's segments, or in all of them? */
export type SegmentOperator = 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR';

export interface Distribution extends Dated {
  readonly id: string;
  readonly ruleId: string;
  /** {@link Variant.id} */
  readonly variantId: string;
  /** In percent. */
  readonly rollout: number;
}

/** Flipt tries the rules of a flag by rank, and uses the first one that matches. */
export interface Rule extends Dated {
  readonly id: string;
  readonly namespaceKey: string;
  readonly flagKey: string;
  /** `''` if the rule has several segments. */
  readonly segmentKey: string;
  /** Empty if the rule has one segment. */
  readonly segmentKeys: readonly string[];
  /** `OR_SEGMENT_OPERATOR` with one segment. A number where Flipt has stored one that stands for neither. */
  readonly segmentOperator: SegmentOperator | number;
  /** If a rule without distributions matches, Flipt gives the flag's default variant. */
  readonly distributions: readonly Distribution[];
  readonly rank: number;
}

/** With `segmentKey` or `segmentKeys`, but not both. */
export type NewRule = NewRuleContent &
  (
    | { readonly segmentKey: string; readonly segmentKeys?: undefined }
    | { readonly segmentKeys: readonly string[]; readonly segmentKey?: undefined }
  );

export interface NewRuleContent {
  /** A whole number >= 1. Flipt tries two rules of the same rank in no fixed order. */
  readonly rank: number;
  /** Default `OR_SEGMENT_OPERATOR`. */
  readonly segmentOperator?: SegmentOperator | undefined;
}

export interface RulePage extends ListPage {
  /** In the order of their ranks. */
  readonly rules: readonly Rule[];
}

/** Flipt v1 only. */
export interface RuleOperations {
  /**
   * Creates a rule without distributions; sent once. `NOT_FOUND` if the flag or a segment does not exist. Flipt ignores
   * rules of a boolean flag.
   *
   * @example
   * ```ts
   * await client.rules.create('default', 'banner', { segmentKey: 'beta', rank: 1 });
   * ```
   */
  create(namespace: string, flag: string, rule: NewRule, options?: CallOptions): Promise<Rule>;
  /** Empty if the flag does not exist. */
  list(namespace: string, flag: string, page?: PageOptions): Promise<RulePage>;
  /** Requests each page only when its entries are needed. */
  iterate(namespace: string, flag: string, options?: IterateOptions): AsyncGenerator<Rule, void, undefined>;
}

/* Segments */

/** Must an entity meet all constraints of a segment, or any of them? */
export type MatchType = 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE';

export type ComparisonType =
  | 'UNKNOWN_COMPARISON_TYPE'
  | 'STRING_COMPARISON_TYPE'
  | 'NUMBER_COMPARISON_TYPE'
  | 'BOOLEAN_COMPARISON_TYPE'
  | 'DATETIME_COMPARISON_TYPE'
  | 'ENTITY_ID_COMPARISON_TYPE'
  | (string & {});

export interface Constraint extends Dated {
  readonly id: string;
  readonly namespaceKey: string;
  readonly segmentKey: string;
  readonly type: ComparisonType;
  /** The name of the attribute; `entityId` for a constraint on the entity's id. */
  readonly property: string;
  /** Such as `eq`, `isoneof` or `present`. */
  readonly operator: string;
  /** A JSON array for `isoneof` and `isnotoneof`; `''` if the operator needs no value. */
  readonly value: string;
  readonly description: string;
}

export interface Segment extends Dated {
  readonly namespaceKey: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** A segment without constraints contains every entity. */
  readonly constraints: readonly Constraint[];
  /** A number where Flipt has stored one that stands for neither match type. */
  readonly matchType: MatchType | number;
}

export interface NewSegment {
  /** ASCII letters, digits, `-`, `_` and `,`. */
  readonly key: string;
  /** Flipt refuses an empty one. */
  readonly name: string;
  readonly description?: string | undefined;
  /** Default `ALL_MATCH_TYPE`. */
  readonly matchType?: MatchType | undefined;
}

/** Key and constraints stay. All members are required, because Flipt would reset what is left out. */
export interface SegmentUpdate {
  /** Flipt refuses an empty one. */
  readonly name: string;
  readonly description: string;
  readonly matchType: MatchType | number;
}

export interface SegmentPage extends ListPage {
  /** In the order of their creation. */
  readonly segments: readonly Segment[];
}

export interface GetSegmentOptions extends CallOptions {
  /** Where Flipt's store has revisions. A Flipt with a database ignores it. */
  readonly reference?: string | undefined;
}

/** Flipt v1 only. */
export interface SegmentOperations {
  /** Empty if the namespace does not exist. */
  list(namespace: string, page?: PageOptions): Promise<SegmentPage>;
  /**
   * Requests each page only when its entries are needed.
   *
   * @example
   * ```ts
   * for await (const segment of client.segments.iterate('default')) console.log(segment.key);
   * ```
   */
  iterate(namespace: string, options?: IterateOptions): AsyncGenerator<Segment, void, undefined>;
  get(namespace: string, key: string, options?: GetSegmentOptions): Promise<Segment>;
  /**
   * Creates a segment without constraints; sent once. `INVALID_ARGUMENT` if the key is taken, `NOT_FOUND` if the
   * namespace does not exist.
   */
  create(namespace: string, segment: NewSegment, options?: CallOptions): Promise<Segment>;
  /** Replaces name, description and match type; sent once. */
  update(namespace: string, key: string, segment: SegmentUpdate, options?: CallOptions): Promise<Segment>;
}

/* Tokens */

export type AuthenticationMethod =
  | 'METHOD_NONE'
  | 'METHOD_TOKEN'
  | 'METHOD_OIDC'
  | 'METHOD_KUBERNETES'
  | 'METHOD_JWT'
  | (string & {});

/** Without the token itself. */
export interface Authentication extends Dated {
  readonly id: string;
  readonly method: AuthenticationMethod;
  /** ISO 8601; absent if the token does not expire. */
  readonly expiresAt?: string | undefined;
  /** Your own entries, and Flipt's, whose names begin with `io.flipt.auth.`. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface CreatedToken {
  /** Sent as `Authorization: Bearer …`. Flipt never shows it again. */
  readonly clientToken: string;
  readonly authentication: Authentication;
}

export interface NewToken {
  readonly name: string;
  readonly description?: string | undefined;
  /** The only namespace that the token gives access to. Such a token cannot create or read tokens. Default: all. */
  readonly namespaceKey?: string | undefined;
  /** ISO 8601 with a time zone. Default: never. */
  readonly expiresAt?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Flipt v1 only, and only with its token authentication. */
export interface TokenOperations {
  /**
   * Sent once: if the connection fails meanwhile, Flipt may have created a token that nobody knows.
   *
   * @example
   * ```ts
   * const { clientToken } = await client.tokens.create({ name: 'ci', namespaceKey: 'web' });
   * ```
   */
  create(token: NewToken, options?: CallOptions): Promise<CreatedToken>;
  /** By the record's id, which is not the token itself. */
  get(id: string, options?: CallOptions): Promise<Authentication>;
}
