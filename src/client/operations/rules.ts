import * as v from 'valibot';
import { numberOrNone, pageFields, text, textOrNone, textsOrNone } from './fields.js';
import { OFFERED_BY_V1, type Call, type CallOptions } from './operation.js';
import { everyEntry, type IterateOptions, type ListPage, type PageOptions } from './pages.js';
import { pathOf, queryOf } from './path.js';

/** Whether one of a rule's segments is enough, or all are needed. */
export type SegmentOperator = 'OR_SEGMENT_OPERATOR' | 'AND_SEGMENT_OPERATOR';

/** The share of a variant among those whom a rule is for. */
export interface Distribution {
  /** The service's own. */
  readonly id: string;
  /** {@link Rule.id} of the rule that it belongs to. */
  readonly ruleId: string;
  /** {@link Variant.id}, by which {@link VariantOperations.update} knows a variant. */
  readonly variantId: string;
  /** Per cent of those whom the rule matches. */
  readonly rollout: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** A rule of a variant flag, as the service keeps it. */
export interface Rule {
  /** The service's own. */
  readonly id: string;
  /** The key of the flag's namespace. */
  readonly namespaceKey: string;
  /** The key of the flag that it belongs to. */
  readonly flagKey: string;
  /** `''` where the rule names several. */
  readonly segmentKey: string;
  /** In ascending order; empty where the rule names one. */
  readonly segmentKeys: readonly string[];
  /** Always OR where the rule names one segment. */
  readonly segmentOperator: SegmentOperator;
  /** Shares of variants. Without any, the rule matches and leaves the flag's default variant, if any: Flipt's rule. */
  readonly distributions: readonly Distribution[];
  /** Rules are tried in ascending order, and the first that matches decides: Flipt's rule. */
  readonly rank: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** A rule to be made, for one segment or for several. */
export type NewRule = NewRuleContent &
  (
    | {
        /** The segment that it is for. */
        readonly segmentKey: string;
        /** One of the two only: Flipt's rule. */
        readonly segmentKeys?: undefined;
      }
    | {
        /** The segments that it is for; equal ones count once. */
        readonly segmentKeys: readonly string[];
        /** One of the two only: Flipt's rule. */
        readonly segmentKey?: undefined;
      }
  );

/** What a new rule has, however many segments it is for. */
export interface NewRuleContent {
  /** A whole number from 1 on: Flipt's rule. It may be another rule's too; then the older one comes first. */
  readonly rank: number;
  /** Whether one of several segments is enough. Default `OR_SEGMENT_OPERATOR`. */
  readonly segmentOperator?: SegmentOperator | undefined;
}

/** A page of a flag's rules. */
export interface RulePage extends ListPage {
  /** By rank. */
  readonly rules: readonly Rule[];
}

/** The rules of a flag; Flipt v1 offers them. */
export interface RuleOperations {
  /**
   * Makes a rule, without distributions; `NOT_FOUND` where the flag or a segment is not there. Sent once. On a boolean
   * flag it has no effect: Flipt's rule.
   *
   * @example
   * ```ts
   * await client.rules.create('default', 'banner', { segmentKey: 'beta', rank: 1 });
   * ```
   */
  create(namespace: string, flag: string, rule: NewRule, options?: CallOptions): Promise<Rule>;
  /** One page of a flag's rules, by rank. None for a flag that does not exist. */
  list(namespace: string, flag: string, page?: PageOptions): Promise<RulePage>;
  /** All rules of a flag, page by page. */
  iterate(namespace: string, flag: string, options?: IterateOptions): AsyncGenerator<Rule, void, undefined>;
}

const distribution: v.GenericSchema<unknown, Distribution> = v.object({
  id: text,
  ruleId: textOrNone,
  variantId: text,
  rollout: numberOrNone,
  createdAt: text,
  updatedAt: text,
});
const rule: v.GenericSchema<unknown, Rule> = v.object({
  id: text,
  namespaceKey: text,
  flagKey: text,
  segmentKey: text,
  segmentKeys: textsOrNone,
  segmentOperator: v.picklist(['OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR']),
  distributions: v.array(distribution),
  rank: v.number(),
  createdAt: text,
  updatedAt: text,
});
const rulePage: v.GenericSchema<unknown, RulePage> = v.object({ rules: v.array(rule), ...pageFields });

const RULES = '/api/v1/namespaces/{namespace}/flags/{flag}/rules';

export function ruleOperations(call: Call): RuleOperations {
  const readPage = (namespace: string, flag: string, page: PageOptions, answer: typeof rulePage) => {
    const { signal, limit, offset, pageToken } = page;
    const operation = {
      name: 'rules.list',
      method: 'GET',
      path: pathOf(RULES, { namespace, flag }) + queryOf({ limit, offset, pageToken }),
      repeatable: true,
      answer,
      offered: OFFERED_BY_V1,
    } as const;
    return call(operation, { signal });
  };
  return {
    async create(namespace, flag, body, options) {
      const operation = {
        name: 'rules.create',
        method: 'POST',
        path: pathOf(RULES, { namespace, flag }),
        body,
        repeatable: false,
        answer: rule,
        offered: OFFERED_BY_V1,
      } as const;
      return call(operation, options);
    },
    async list(namespace, flag, page = {}) {
      return readPage(namespace, flag, page, rulePage);
    },
    iterate(namespace, flag, options = {}) {
      return everyEntry(
        rulePage,
        (page, shape) => readPage(namespace, flag, page, shape),
        ({ rules }) => rules,
        options,
      );
    },
  };
}
