import type { CallOptions, IterateOptions, ListPage, PageOptions } from './call-options.js';

/**
 * Says whether a rule matches entities in any of its segments (`OR`), or only entities in all of its segments (`AND`).
 */
export type SegmentOperator = 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR';

/** Gives a variant to a share of the entities that a rule matches. */
export interface Distribution {
  /** The id that Flipt has given to the distribution. */
  readonly id: string;
  /** The {@link Rule.id} of the rule that the distribution belongs to. */
  readonly ruleId: string;
  /** The {@link Variant.id} of the variant. {@link VariantOperations.update} takes this id. */
  readonly variantId: string;
  /** The percentage of entities that get the variant, among all entities that the rule matches. */
  readonly rollout: number;
  /** When the distribution was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the distribution was last changed, in ISO 8601. */
  readonly updatedAt: string;
}

/** A rule of a variant flag. */
export interface Rule {
  /** The id that Flipt has given to the rule. */
  readonly id: string;
  /** The key of the flag's namespace. */
  readonly namespaceKey: string;
  /** The key of the flag that the rule belongs to. */
  readonly flagKey: string;
  /** The key of the rule's only segment, or `''` if the rule has several segments. */
  readonly segmentKey: string;
  /** The keys of the rule's segments, in ascending order. If the rule has only one segment, this list is empty. */
  readonly segmentKeys: readonly string[];
  /**
   * Whether an entity must be in any of the rule's segments or in all of them. A rule with one segment always has
   * `OR_SEGMENT_OPERATOR`. If Flipt sends a number that stands for neither operator, `segmentOperator` is that number.
   */
  readonly segmentOperator: SegmentOperator | number;
  /**
   * The shares of the variants among the entities that the rule matches. If a rule without distributions matches, Flipt
   * gives the flag's default variant, if the flag has one.
   */
  readonly distributions: readonly Distribution[];
  /**
   * The place of the rule among the rules of its flag. Flipt tries the rules of a flag in ascending order of their
   * ranks, and uses the first rule that matches.
   */
  readonly rank: number;
  /** When the rule was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the rule was last changed, in ISO 8601. */
  readonly updatedAt: string;
}

/** The content of a new rule, which has one segment or several. */
export type NewRule = NewRuleContent &
  (
    | {
        /** The key of the rule's only segment. */
        readonly segmentKey: string;
        /** Flipt accepts either `segmentKey` or `segmentKeys`, but not both. */
        readonly segmentKeys?: undefined;
      }
    | {
        /** The keys of the rule's segments. A key that appears several times in the list counts once. */
        readonly segmentKeys: readonly string[];
        /** Flipt accepts either `segmentKey` or `segmentKeys`, but not both. */
        readonly segmentKey?: undefined;
      }
  );

/** The members that a new rule has besides its segments. */
export interface NewRuleContent {
  /**
   * The place of the rule among the rules of its flag. Flipt accepts only a whole number >= 1. If two rules of a flag
   * have the same rank, Flipt tries these two in no fixed order.
   */
  readonly rank: number;
  /** Whether an entity must be in any of the rule's segments or in all of them. Default `OR_SEGMENT_OPERATOR`. */
  readonly segmentOperator?: SegmentOperator | undefined;
}

/** One page of the list of a flag's rules. */
export interface RulePage extends ListPage {
  /** The rules of the page, in the order of their ranks. */
  readonly rules: readonly Rule[];
}

/**
 * Creates and lists the rules of a flag. Only Flipt v1 offers these operations. Each request ends within
 * `http.timeoutMs` × (`http.retries` + 1) milliseconds.
 */
export interface RuleOperations {
  /**
   * Creates a rule without distributions. Rejects with `NOT_FOUND` if the flag or a segment does not exist. The client
   * sends the request only once, even if the request fails. You can also create rules of a boolean flag, but Flipt
   * ignores such rules.
   *
   * @example
   * ```ts
   * await client.rules.create('default', 'banner', { segmentKey: 'beta', rank: 1 });
   * ```
   */
  create(namespace: string, flag: string, rule: NewRule, options?: CallOptions): Promise<Rule>;
  /** Reads one page of a flag's rules, in the order of their ranks. The page is empty if the flag does not exist. */
  list(namespace: string, flag: string, page?: PageOptions): Promise<RulePage>;
  /** Iterates over all rules of a flag, and requests each page only when its entries are needed. */
  iterate(namespace: string, flag: string, options?: IterateOptions): AsyncGenerator<Rule, void, undefined>;
}

/** A variant of a flag. */
export interface Variant {
  /** The id that Flipt has given to the variant. {@link Distribution.variantId} refers to the variant by this id. */
  readonly id: string;
  /** The key of the flag's namespace. */
  readonly namespaceKey: string;
  /** The key of the flag that the variant belongs to. */
  readonly flagKey: string;
  /**
   * The key of the variant, which is unique in its flag. Answers contain this key as
   * {@link VariantResponse.variantKey}.
   */
  readonly key: string;
  /** The name of the variant, for people to read. A variant without a name has `''`. */
  readonly name: string;
  /** The description of the variant, for people to read. A variant without a description has `''`. */
  readonly description: string;
  /** The attachment of the variant as compact JSON text, or `''` if the variant has no attachment. */
  readonly attachment: string;
  /** When the variant was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the variant was last changed, in ISO 8601. */
  readonly updatedAt: string;
}

/** The whole new content of a variant. Flipt empties each member that you leave out. */
export interface VariantUpdate {
  /** The key of the variant. Flipt refuses an empty key, and a key that another variant of the flag already has. */
  readonly key: string;
  /** The name of the variant, for people to read. Default `''`. */
  readonly name?: string | undefined;
  /** The description of the variant, for people to read. Default `''`. */
  readonly description?: string | undefined;
  /**
   * The attachment of the variant. Flipt accepts any JSON text of at most 1,000 KB. Default `''`, which means that the
   * variant has no attachment.
   */
  readonly attachment?: string | undefined;
}

/**
 * Changes the variants of a flag. Only Flipt v1 offers this operation. Each request ends within `http.timeoutMs` ×
 * (`http.retries` + 1) milliseconds.
 */
export interface VariantOperations {
  /**
   * Replaces a variant's content. Rejects with `NOT_FOUND` if the flag has no variant with this `id`, and with
   * `INVALID_ARGUMENT` if another variant of the flag already has the new key. To find the id of a variant, read the
   * distributions of the flag's rules, or call {@link FlagOperations.list}. The client sends the request only once,
   * even if the request fails.
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
