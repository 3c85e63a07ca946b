import type { CallOptions, IterateOptions, ListPage, PageOptions } from './call-options.js';

/** Whether an entity must be in any of a rule's segments or in all. */
export type SegmentOperator = 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR';

/** The share of a variant among the entities that a rule matches. */
export interface Distribution {
  /** The service's own. */
  readonly id: string;
  /** {@link Rule.id} of the rule that it belongs to. */
  readonly ruleId: string;
  /** {@link Variant.id}, which {@link VariantOperations.update} takes. */
  readonly variantId: string;
  /** Percentage of the entities that the rule matches. */
  readonly rollout: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** A rule of a variant flag. */
export interface Rule {
  /** The service's own. */
  readonly id: string;
  /** The key of the flag's namespace. */
  readonly namespaceKey: string;
  /** The key of the flag that it belongs to. */
  readonly flagKey: string;
  /** `''` if the rule has several segments. */
  readonly segmentKey: string;
  /** In ascending order; empty if the rule has one segment. */
  readonly segmentKeys: readonly string[];
  /** Always OR if the rule has one segment. A number without a name is kept as it is. */
  readonly segmentOperator: SegmentOperator | number;
  /** Shares of variants. Without any, matching entities get the flag's default variant, if it has one (Flipt's rule). */
  readonly distributions: readonly Distribution[];
  /** Rules are tried in ascending order; the first that matches decides (Flipt's rule). */
  readonly rank: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** A new rule, for one segment or several. */
export type NewRule = NewRuleContent &
  (
    | {
        /** Its segment. */
        readonly segmentKey: string;
        /** Only one of the two (Flipt's rule). */
        readonly segmentKeys?: undefined;
      }
    | {
        /** Its segments; duplicates count once. */
        readonly segmentKeys: readonly string[];
        /** Only one of the two (Flipt's rule). */
        readonly segmentKey?: undefined;
      }
  );

/** What every new rule has. */
export interface NewRuleContent {
  /** A whole number >= 1 (Flipt's rule). If two rules share a rank, the older one comes first. */
  readonly rank: number;
  /** Whether an entity must be in any of the segments or in all. Default `OR_SEGMENT_OPERATOR`. */
  readonly segmentOperator?: SegmentOperator | undefined;
}

/** A page of a flag's rules. */
export interface RulePage extends ListPage {
  /** By rank. */
  readonly rules: readonly Rule[];
}

/** The rules of a flag; Flipt v1 only. Each ends within `http.timeoutMs` × (`http.retries` + 1). */
export interface RuleOperations {
  /**
   * Creates a rule without distributions; `NOT_FOUND` if the flag or a segment does not exist. Sent once. A boolean flag
   * ignores its rules (Flipt's rule).
   *
   * @example
   * ```ts
   * await client.rules.create('default', 'banner', { segmentKey: 'beta', rank: 1 });
   * ```
   */
  create(namespace: string, flag: string, rule: NewRule, options?: CallOptions): Promise<Rule>;
  /** One page of a flag's rules, by rank; empty if there is no such flag. */
  list(namespace: string, flag: string, page?: PageOptions): Promise<RulePage>;
  /** All rules of a flag, page by page. */
  iterate(namespace: string, flag: string, options?: IterateOptions): AsyncGenerator<Rule, void, undefined>;
}

/** A variant of a flag. */
export interface Variant {
  /** The service's own; {@link Distribution.variantId} names it. */
  readonly id: string;
  /** The key of the flag's namespace. */
  readonly namespaceKey: string;
  /** The key of the flag that it belongs to. */
  readonly flagKey: string;
  /** Unique in its flag; answers have it as {@link VariantResponse.variantKey}. */
  readonly key: string;
  /** For people; `''` if there is none. */
  readonly name: string;
  /** For people; `''` if there is none. */
  readonly description: string;
  /** Compact JSON text; `''` if there is none. */
  readonly attachment: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** The whole new content of a variant. What is left out is emptied (Flipt's rule). */
export interface VariantUpdate {
  /** Not empty and unique in its flag (Flipt's rule). */
  readonly key: string;
  /** For people. Default `''`. */
  readonly name?: string | undefined;
  /** For people. Default `''`. */
  readonly description?: string | undefined;
  /** Any JSON text, up to 1,000 KB (Flipt's rule). Default `''`: none. */
  readonly attachment?: string | undefined;
}

/** The variants of a flag; Flipt v1 only. Each ends within `http.timeoutMs` × (`http.retries` + 1). */
export interface VariantOperations {
  /**
   * Replaces a variant's content; `NOT_FOUND` if the flag has no variant with this `id`, `INVALID_ARGUMENT` if another
   * variant has the key. The distributions of a flag's rules have the ids of its variants. Sent once.
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
