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
